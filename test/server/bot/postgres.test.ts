import { assert } from "chai";
import { botVariables, register } from "../../support/bot.ts";
import { emptyDatabase } from "../../support/database.ts";
import type { EngineDatabase } from "../../support/engine-database.ts";
import { eventually } from "../../support/eventually.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { type Chat, TelegramServer } from "../../support/telegram-server.ts";

describe("the bot, with PostgreSQL", () => {
  let telegram: TelegramServer;
  let server: TestServer;
  let chat: Chat;
  let database: EngineDatabase;
  before(async () => {
    telegram = await new TelegramServer().start();
    telegram.hasWebhook = true;
    chat = telegram.person(6001);
    database = await emptyDatabase("postgres");
    server = await startServer({ ...botVariables(telegram), DATABASE_URL: database.url });
  });
  after(async () => {
    await server.stop();
    telegram.stop();
    await database.remove();
  });
  const message = (text: string) => ({
    message: {
      message_id: 1,
      date: 1,
      chat: { id: chat.id, type: "private" },
      from: { id: chat.id, is_bot: false, first_name: "P" },
      text,
    },
  });

  it("removes the webhook that was set for its token, and polls", async () => {
    assert.include((await chat.request("/time")).text, "Server time");
    assert.isFalse(telegram.hasWebhook);
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

  it("processes a repeated update once, and ignores malformed updates", async () => {
    const before = chat.messages.length;
    const id = telegram.deliver(message("/time"));
    await eventually(async () => assert.lengthOf(chat.messages, before + 1));
    telegram.deliver(message("/time"), id);
    telegram.deliver({ message: {} });
    telegram.deliver({ nothing: [] });
    await chat.request("/balance");
    assert.lengthOf(chat.messages, before + 2);
  });
});
