import { assert } from "chai";
import { botVariables, register } from "../../support/bot.ts";
import { emptyDatabase } from "../../support/database.ts";
import type { EngineDatabase } from "../../support/engine-database.ts";
import { eventually } from "../../support/eventually.ts";
import { post } from "../../support/http.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { type Chat, TelegramServer } from "../../support/telegram-server.ts";

const PUBLIC = "https://bot.example";

describe("the bot's webhook, with PostgreSQL", () => {
  let telegram: TelegramServer;
  let server: TestServer;
  let chat: Chat;
  let database: EngineDatabase;
  before(async () => {
    telegram = await new TelegramServer().start();
    chat = telegram.person(6001);
    database = await emptyDatabase("postgres");
    server = await startServer({
      ...botVariables(telegram),
      DATABASE_URL: database.url,
      TELEGRAM_WEBHOOK_URL: `${PUBLIC}/telegram`,
    });
    telegram.route = (url) => url.replace(PUBLIC, server.url);
    await eventually(async () => assert.equal(telegram.webhook?.url, `${PUBLIC}/telegram`));
  });
  after(async () => {
    await server.stop();
    telegram.stop();
    await database.remove();
  });
  const update = (update_id: number, text: string) => ({
    update_id,
    message: {
      message_id: 1,
      date: 1,
      chat: { id: chat.id, type: "private" },
      from: { id: chat.id, is_bot: false, first_name: "P" },
      text,
    },
  });

  it("accepts Telegram's posts", async () => {
    assert.include((await chat.request("/time")).text, "Server time");
    assert.isFalse(telegram.calls.some(({ method }) => method === "getUpdates"));
  });

  it("supports registration and values", async () => {
    const person = telegram.person(6002);
    await register(person);
    assert.include((await person.request("/pm 8")).text, "Stored: 8 ");
    await eventually(async () => assert.isTrue(person.buttonResponses.length > 0));
    await eventually(async () => {
      const [left] = await database.query("select count(*) as left from chat_updates where body is not null");
      assert.equal(Number(left?.["left"]), 0, "no processed message is kept");
    });
  });

  // Security, bot: a caller of the webhook's address cannot post there in Telegram's name
  it("rejects other callers", async () => {
    const { secret = "" } = telegram.webhook ?? {};
    assert.match(secret, /^[0-9a-f]{64}$/);
    assert.notInclude(telegram.token, secret);
    const before = chat.messages.length;
    for (const shown of [undefined, "", "0".repeat(64), secret.slice(1), `${secret}0`, telegram.token]) {
      const response = await post(
        `${server.url}/telegram`,
        update(1, "/time"),
        shown === undefined ? {} : { "X-Telegram-Bot-Api-Secret-Token": shown },
      );
      assert.equal(response.status, 403);
    }
    assert.equal(
      (await fetch(`${server.url}/telegram`, { headers: { "X-Telegram-Bot-Api-Secret-Token": secret } })).status,
      403,
    );
    await chat.request("/balance");
    assert.lengthOf(chat.messages, before + 1);
  });

  it("processes a repeated post once, and ignores malformed updates", async () => {
    const headers = { "X-Telegram-Bot-Api-Secret-Token": telegram.webhook?.secret ?? "" };
    const before = chat.messages.length;
    for (const body of [update(2, "/time"), update(2, "/time"), {}, [], { update_id: "x" }]) {
      assert.equal((await post(`${server.url}/telegram`, body, headers)).status, 200);
    }
    assert.equal((await post(`${server.url}/telegram`, "{", headers)).status, 400);
    await eventually(async () => assert.lengthOf(chat.messages, before + 1));
    await chat.request("/balance");
    assert.lengthOf(chat.messages, before + 2);
  });
});
