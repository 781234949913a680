import { assert } from "chai";
import { botVariables } from "../support/bot.ts";
import { eventually } from "../support/eventually.ts";
import { post } from "../support/http.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { type Chat, TelegramServer } from "../support/telegram-server.ts";

const PUBLIC = "https://bot.example";

describe("the bot's webhook", function () {
  let telegram: TelegramServer;
  let server: TestServer;
  let chat: Chat;
  before(async () => {
    telegram = await new TelegramServer().start();
    chat = telegram.person(6001);
    server = await startServer({ ...botVariables(telegram), TELEGRAM_WEBHOOK_URL: `${PUBLIC}/telegram` });
    telegram.route = (url) => url.replace(PUBLIC, server.url);
    await eventually(async () => assert.equal(telegram.webhook?.url, `${PUBLIC}/telegram`));
  });
  after(async () => {
    await server.stop();
    telegram.stop();
  });
  const update = (update_id: number, text: string) => ({
    update_id,
    message: { message_id: 1, date: 1, chat: { id: chat.id, type: "private" }, from: { id: chat.id, is_bot: false, first_name: "P" }, text },
  });

  it("takes what Telegram posts", async () => {
    assert.include((await chat.ask("/time")).text, "Server time");
    assert.isFalse(telegram.calls.some(({ method }) => method === "getUpdates"));
  });

  it("takes nothing from anybody else", async () => {
    const { secret = "" } = telegram.webhook ?? {};
    assert.match(secret, /^[0-9a-f]{64}$/);
    assert.notInclude(telegram.token, secret);
    const before = chat.said.length;
    for (const shown of [undefined, "", "0".repeat(64), secret.slice(1), `${secret}0`, telegram.token]) {
      const answer = await post(`${server.url}/telegram`, update(1, "/time"), shown === undefined ? {} : { "X-Telegram-Bot-Api-Secret-Token": shown });
      assert.equal(answer.status, 403);
    }
    assert.equal((await fetch(`${server.url}/telegram`, { headers: { "X-Telegram-Bot-Api-Secret-Token": secret } })).status, 403);
    await chat.ask("/balance");
    assert.lengthOf(chat.said, before + 1);
  });

  it("answers once what is posted twice, and is not disturbed by what is no update", async () => {
    const headers = { "X-Telegram-Bot-Api-Secret-Token": telegram.webhook?.secret ?? "" };
    const before = chat.said.length;
    for (const body of [update(2, "/time"), update(2, "/time"), {}, [], { update_id: "x" }]) {
      assert.equal((await post(`${server.url}/telegram`, body, headers)).status, 200);
    }
    assert.equal((await post(`${server.url}/telegram`, "{", headers)).status, 400);
    await chat.ask("/balance");
    assert.lengthOf(chat.said, before + 2);
  });
});
