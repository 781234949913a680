import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { assert } from "chai";
import { startServer, type TestServer } from "../../../support/server.ts";

describe("the host of a request", () => {
  let server: TestServer;
  before(async () => {
    server = await startServer({
      PUBLIC_URL: "https://Proofs.example:8443",
      ALLOWED_HOSTS: "sealbook.internal,[fd00::1]",
    });
  });
  after(() => server.stop());

  /** Sends a request with these `Host` headers, as they are; returns the response. */
  async function respond(path: string, ...hosts: string[]): Promise<string> {
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    const version = hosts.length === 0 ? "1.0" : "1.1";
    socket.write(
      `GET ${path} HTTP/${version}\r\n${hosts.map((host) => `Host: ${host}\r\n`).join("")}Connection: close\r\n\r\n`,
    );
    return text(socket);
  }

  it("can be a name of the machine, the address of the connection, or a configured name, with any port", async () => {
    const port = new URL(server.url).port;
    for (const host of [
      "localhost",
      `localhost:${port}`,
      "LOCALHOST.",
      `127.0.0.1:${port}`,
      "[::1]:1",
      "proofs.example",
      "proofs.example:8443",
      "PROOFS.EXAMPLE.:8443",
      "sealbook.internal:80",
      "[FD00::1]:8080",
    ]) {
      assert.match(await respond("/livez", host), /^HTTP\/1\.1 200 /, host);
    }
    assert.match(await respond("/livez"), /^HTTP\/1\.1 200 /, "HTTP/1.0 without a host");
  });

  // Security, network: cannot read a response with a web page whose name resolves to the server's address
  it("can be no other: a page whose name resolves to this address reads nothing", async () => {
    for (const host of [
      "attacker.example",
      `attacker.example:${new URL(server.url).port}`,
      "127.0.0.1.attacker.example",
      "localhost.attacker.example",
      "xlocalhost",
      "proofs.example.attacker.example",
      "user@localhost",
      "localhost:80:80",
      "10.1.2.3",
      "[::2]",
      "",
    ]) {
      for (const path of ["/api/v1/recovery/inventory", "/api/v1/status", "/", "/explorer", "/metrics", "/livez"]) {
        const response = await respond(path, host);
        assert.match(response, /^HTTP\/1\.1 4(00|21) /, `${host} ${path}`);
        assert.notMatch(response, /document_id|version|<html/, host);
      }
    }
    assert.match(
      await respond("/livez", "attacker.example"),
      /421 [^]*urn:sealbook:problem:misdirected[^]*ALLOWED_HOSTS/,
    );
    assert.match(await respond("/livez", "localhost", "attacker.example"), /^HTTP\/1\.1 400 /, "two hosts");
  });
});
