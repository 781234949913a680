import { assert } from "chai";
import { botVariables } from "../../support/bot.ts";
import { eventually } from "../../support/eventually.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { type Chat, TelegramServer } from "../../support/telegram-server.ts";

describe("the bot with Telegram's limits", () => {
  let telegram: TelegramServer;
  let server: TestServer;
  let people = 5000;
  const anybody = (): Chat => telegram.person((people += 1));
  before(async () => {
    telegram = await new TelegramServer().start();
    server = await startServer(botVariables(telegram), { settings: { telegram: { ratePerMinute: 5 } } });
  });
  after(async () => {
    await server.stop();
    telegram.stop();
  });
  afterEach(() => {
    telegram.onCall = () => undefined;
  });

  it("waits for the requested time, and then sends the message once", async () => {
    const chat = anybody();
    let refused = 0;
    telegram.onCall = ({ method, fields }) => {
      if (method !== "sendMessage" || fields["chat_id"] !== chat.id || refused === 2) return undefined;
      refused += 1;
      return { error_code: 429, description: "Too Many Requests: retry after 1", parameters: { retry_after: 1 } };
    };
    assert.include((await chat.request("/time")).text, "Server time");
    assert.equal(refused, 2);
    await chat.request("/balance");
    assert.lengthOf(chat.messages, 2);
  });

  it("retries after a failure of Telegram", async () => {
    const chat = anybody();
    let failed = 0;
    telegram.onCall = ({ method, fields }) => {
      if (method !== "sendMessage" || fields["chat_id"] !== chat.id || failed === 2) return undefined;
      failed += 1;
      return { error_code: failed === 1 ? 500 : 502, description: "Internal Server Error" };
    };
    assert.include((await chat.request("/time")).text, "Server time");
  });

  it("continues for other users when one has blocked it, and for that one after it is unblocked", async () => {
    const chat = anybody();
    const other = anybody();
    await chat.request("/time");
    chat.hasBlocked = true;
    chat.write("/time");
    chat.write("/balance");
    await eventually(async () =>
      assert.lengthOf(
        server.log.filter((line) => line.includes("blocked by the user")),
        2,
      ),
    );
    assert.include((await other.request("/time")).text, "Server time");
    chat.hasBlocked = false;
    assert.include((await chat.request("/time")).text, "Server time");
    assert.lengthOf(chat.messages, 2, "what was said meanwhile is not said later");
  });

  // Security, bot: a user of a chat cannot block other users
  // Security, bot: cannot keep others waiting with many members of a group that gets no replies
  it("replies to others while Telegram delays the replies to a group with many members", async () => {
    const delayed = -100_900;
    const members = Array.from({ length: 40 }, (_, index) => telegram.group(delayed, 9_000 + index));
    let refused = 0;
    telegram.onCall = ({ method, fields }) => {
      if (method !== "sendMessage" || fields["chat_id"] !== delayed) return undefined;
      refused += 1;
      return { error_code: 429, description: "Too Many Requests: retry after 60", parameters: { retry_after: 60 } };
    };
    for (const member of members) member.write("/time");
    await eventually(async () => assert.isAbove(refused, 0));
    assert.include((await anybody().request("/time")).text, "Server time");
  });

  it("limits the replies to one user, reports the limit once, and serves others as before", async () => {
    const flood = anybody();
    const other = anybody();
    for (let message = 0; message < 60; message += 1) flood.write("/time");
    assert.include((await other.request("/time")).text, "Server time");
    await eventually(async () => assert.equal(telegram.waiting, 0));
    await eventually(async () => assert.lengthOf(flood.messages, 6));
    assert.include(flood.messages.at(-1)?.text, "Too many messages");
    await other.request("/time");
    assert.lengthOf(flood.messages, 6);
  });

  it("ignores foreign and malformed updates", async () => {
    const chat = anybody();
    for (const odd of [
      {},
      { message: {} },
      { message: 5 },
      { edited_message: { text: "/time" } },
      { callback_query: { id: "1" } },
      { message: { chat: { id: chat.id, type: "private" }, text: "/time" } },
    ])
      telegram.deliver(odd);
    assert.include((await chat.request("/time")).text, "Server time");
    assert.equal(chat.messages.length, 1);
  });
});
