import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { inspect } from "node:util";
import { assert } from "chai";
import { pino } from "pino";
import { Telegram } from "../../../server/bot/telegram.ts";
import { freePort } from "../../support/free-port.ts";

const TOKEN = "123456789:AAF-abcdefghijklmnopqrstuvwxyz01234";

describe("the bot's token", function () {
  let server: Server;
  let url: string;
  let reply: { status: number; body: string };
  before(async () => {
    server = createServer((_request, response) => void response.writeHead(reply.status).end(reply.body));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const assertHidden = async (apiUrl: string): Promise<void> => {
    const telegram = new Telegram({ token: TOKEN, apiUrl });
    for (const call of [
      () => telegram.name(),
      () => telegram.file("x", 10),
      () => telegram.send(1, { kind: "text", text: "x" }),
      () => telegram.deleteWebhook(),
    ]) {
      const error: unknown = await call().then(
        () => assert.fail("nothing went wrong"),
        (thrown: unknown) => thrown,
      );
      const written: string[] = [];
      pino({ base: null }, { write: (line: string) => void written.push(line) }).error({ err: error }, "x");
      written.push(
        inspect(error, { depth: 10, showHidden: true }),
        String(error),
        error instanceof Error ? (error.stack ?? "") : "",
      );
      assert.notInclude(written.join("\n"), TOKEN);
    }
    telegram.end();
  };

  // Security, bot: a reader of the log does not find the bot's token, for any response of Telegram
  it("is in no error of an unreachable Telegram", async () => assertHidden(`http://127.0.0.1:${await freePort()}`));

  for (const [status, body] of [
    [401, '{"ok":false,"error_code":401,"description":"Unauthorized"}'],
    [400, JSON.stringify({ ok: false, error_code: 400, description: `Bad Request: /bot${TOKEN}/x` })],
    [200, `<html>${TOKEN}`],
    [502, "Bad Gateway"],
  ] as const) {
    it(`is in no error for the response ${status} ${body.slice(0, 30)}`, async () => {
      reply = { status, body };
      await assertHidden(url);
    });
  }
});
