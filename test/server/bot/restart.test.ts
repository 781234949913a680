import { setTimeout as sleep } from "node:timers/promises";
import { assert } from "chai";
import { botVariables } from "../../support/bot.ts";
import { removeDirectory, temporaryDirectory } from "../../support/directory.ts";
import { content } from "../../support/envelope.ts";
import { eventually } from "../../support/eventually.ts";
import { type ServerProcess, startProcess } from "../../support/process.ts";
import { ROUTES } from "../../support/server.ts";
import { type Chat, TelegramServer } from "../../support/telegram-server.ts";

describe("the bot after kill -9", () => {
  let telegram: TelegramServer;
  let directory: string;
  let server: ServerProcess;
  let chat: Chat;
  let other: Chat;
  let account: { login: string; password: string };
  const outputs: string[] = [];
  const start = async (): Promise<void> => {
    server = await startProcess(directory, {
      ...botVariables(telegram),
      CHAIN_BLOCK_PERIOD: "1",
      LOG_LEVEL: "debug",
      SESSION_LIFETIME: "3600",
    });
  };
  const kill = async (): Promise<void> => {
    await server.end("SIGKILL");
    outputs.push(server.output());
  };
  const received = () => eventually(async () => assert.equal(telegram.waiting, 0));

  before(async () => {
    telegram = await new TelegramServer().start();
    directory = await temporaryDirectory();
    chat = telegram.person(7001);
    other = telegram.person(7002);
    await start();
  });
  after(async () => {
    await server.end("SIGTERM");
    telegram.stop();
    await removeDirectory(directory);
  });

  it("continues each form at its question, and processes messages sent meanwhile", async () => {
    await chat.request("/start");
    await chat.request("Somchai");
    await other.request("/start");
    await kill();
    const sentBefore = chat.messages.length;
    chat.write("SDS011");
    other.write("Malee");
    await start();
    await eventually(async () => assert.lengthOf(chat.messages, sentBefore + 1));
    assert.match(chat.messages.at(-1)?.text ?? "", /^3 of 5/);
    await eventually(async () => assert.match(other.messages.at(-1)?.text ?? "", /^2 of 5/));
    await chat.after(() => chat.share(13.75, 100.5), 2);
    await chat.request("Roof");
    assert.include((await chat.after(() => chat.press("⌨ Type the values")))[0].text, "Name: Somchai\nSensor: SDS011");
    await other.request("SDS011");
    await other.after(() => other.write("1, 2"), 2);
    await other.request("Yard");
    await other.after(() => other.press("⌨ Type the values"));
  });

  it("between an account and its password, and during another registration, creates and sends each once", async () => {
    let blocked = 0;
    telegram.onCall = ({ method, fields }) =>
      method === "sendMessage" && String(fields["text"]).includes("password") ? ((blocked += 1), "hang") : undefined;
    chat.press("✅ Confirm");
    await eventually(async () => assert.equal(blocked, 1));
    const sentBefore = other.messages.length;
    other.press("✅ Confirm");
    await received();
    await kill();
    telegram.onCall = () => undefined;
    const [message] = await chat.after(start, 2);
    const { login = "", password = "" } =
      /login: (?<login>\S+)\npassword: (?<password>\S+)/.exec(message.text)?.groups ?? {};
    account = { login, password };
    await eventually(async () => assert.lengthOf(other.messages, sentBefore + 2));
    const { tparams } = content(await server.call(ROUTES.auth, account), ROUTES.auth);
    assert.equal(tparams.stats.accounts, 3, "these two and the demo account");
  });

  // Security, bot: a user of a chat cannot cause a duplicate value or account through a crash
  it("while a value is in flight, stores it once and replies once", async () => {
    const values = [10, 20];
    const before = [chat.messages.length, other.messages.length];
    chat.write(`/pm ${values[0]}`);
    other.write(`/pm ${values[1]}`);
    await received();
    // At any moment.
    await sleep(600 * Math.random());
    await kill();
    await start();
    await eventually(async () =>
      assert.deepEqual(
        [chat.messages.length, other.messages.length],
        before.map((count) => count + 1),
      ),
    );
    for (const [index, { messages: sentBefore }] of [chat, other].entries())
      assert.include(sentBefore.at(-1)?.text, `Stored: ${values[index]} `);
    const { tx: token } = content(await server.call(ROUTES.auth, account), ROUTES.auth).tparams;
    const { tparams } = content(
      await server.call(ROUTES.search, { token }, { search: { target: "2", value: "PM2.5" } }),
      ROUTES.search,
    );
    const stored = tparams.events.map(
      ([, , , payload]: string[]) => JSON.parse(Buffer.from(payload ?? "", "base64").toString()).sensorvalue,
    );
    assert.sameMembers(stored, values);
  });

  it("writes no token or password to the log", () => {
    outputs.push(server.output());
    for (const output of outputs) {
      assert.notInclude(output, telegram.token);
      assert.notInclude(output, account.password);
    }
  });
});
