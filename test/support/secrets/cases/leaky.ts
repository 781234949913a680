import { startServer, type TestServer } from "../../server.ts";

// Run by the test of the secret watch, in a separate mocha process: one server that leaks a secret, and one that does
// not.
describe("a server", () => {
  let server: TestServer;
  before(async () => {
    server = await startServer();
  });
  after(() => server.stop());

  it("is used rightly", async () => {
    const token = await server.login();
    const { logger } = server;
    switch (process.env["LEAK"]) {
      case "token":
        logger.info({ token: Buffer.from(token.slice(2), "hex") }, "whose is it?");
        break;
      case "password":
        logger.warn(`login refused: ${encodeURIComponent(server.demo.password)}`);
        break;
      default:
        logger.info({ account: server.demo.login }, "logged in");
    }
  });
});
