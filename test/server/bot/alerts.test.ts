import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { assert } from "chai";
import { botVariables, register } from "../../support/bot.ts";
import { eventually } from "../../support/eventually.ts";
import { type RemoteChain, startRemoteChain } from "../../support/remote-chain.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { type Chat, TelegramServer } from "../../support/telegram-server.ts";
import { type ParsedJson } from "../../support/parsed-json.ts";

describe("the administrators' chat", () => {
  let chain: RemoteChain;
  let telegram: TelegramServer;
  let admins: Chat;
  let server: TestServer;
  const start = async (): Promise<void> => {
    server = await startServer(
      {
        ...chain.variables,
        ...botVariables(telegram),
        TELEGRAM_ADMIN_CHAT: String(admins.id),
        NODE_LOG_FILE: join(chain.directory, "node.log"),
        CHAIN_WAIT: "1",
      },
      {
        directory: chain.directory,
        overrides: { nodeIntervalMilliseconds: 200 },
      },
    );
  };
  before(async () => {
    chain = await startRemoteChain();
    telegram = await new TelegramServer().start();
    admins = telegram.group(-100700, 8001);
    await start();
  });
  after(async () => {
    await server.stop("keep");
    telegram.stop();
    await chain.close();
  });

  it("gets an alert once when raised and once when resolved, also across an outage and a restart", async () => {
    let lost = 0;
    telegram.onCall = ({ method }) =>
      method === "sendMessage" ? ((lost += 1), { error_code: 502, description: "Bad Gateway" }) : undefined;
    chain.proxy.mode = "off";
    await eventually(async () => assert.isAbove(lost, 0));
    await server.stop("keep");
    telegram.onCall = () => undefined;
    await start();
    await eventually(async () => assert.lengthOf(admins.messages, 1));
    assert.match(admins.messages[0]?.text ?? "", /^🔴 node_down\n.+\nsince /);
    chain.proxy.mode = "pass";
    await eventually(async () => assert.lengthOf(admins.messages, 2));
    assert.match(admins.messages[1]?.text ?? "", /^🟢 node_down is over\n.+\nfrom .+ to /);
  });

  it("gets what it rejected once it accepts messages; until then that is a problem in the status", async () => {
    const before = admins.messages.length;
    telegram.onCall = ({ method }) =>
      method === "sendMessage"
        ? { error_code: 403, description: "Forbidden: bot is not a member of the supergroup chat" }
        : undefined;
    chain.proxy.mode = "off";
    const problems = async (): Promise<string[]> =>
      (await server.get("/api/v1/status")).body.problems.map(({ part, reason }: ParsedJson) => `${part}: ${reason}`);
    await eventually(async () =>
      assert.include(
        (await problems()).join(),
        "alerts do not reach the chat TELEGRAM_ADMIN_CHAT: sendMessage: Forbidden: bot is not a member",
      ),
    );
    // A restart loses nothing either.
    await server.stop("keep");
    await start();
    await eventually(async () => {
      assert.isTrue((await problems()).some((each) => each.startsWith("alerts: ")));
      const { alerts } = (await server.get("/api/v1/alerts")).body;
      assert.isTrue(alerts.some(({ alert, state }: ParsedJson) => alert === "node_down" && state === "raised"));
    });
    telegram.onCall = () => undefined;
    await eventually(async () =>
      assert.isTrue(admins.messages.slice(before).some(({ text }) => text.startsWith("🔴 node_down\n"))),
    );
    await eventually(async () => assert.isFalse((await problems()).some((each) => each.startsWith("alerts: "))));
    chain.proxy.mode = "pass";
    await eventually(async () => assert.match(admins.messages.at(-1)?.text ?? "", /^🟢 node_down is over\n/));
  });

  it("is not the only source of outages: users get a message in their language", async () => {
    const person = telegram.person(8002);
    await register(person);
    chain.proxy.mode = "off";
    assert.match(
      (await person.request("/pm 5")).text,
      /^The blockchain (is not reachable\. Nothing was stored|has not confirmed record \d+ yet\. It will be stored)/,
    );
    assert.include((await person.request("/balance")).text, "The blockchain is not reachable");
    chain.proxy.mode = "pass";
    await eventually(async () => assert.include((await person.request("/pm 6")).text, "Stored: 6 "));
    assert.match((await person.request("/providers")).text, /1 in all.*\n.*: 6 µg/);
  });

  // Security, bot: a user of a chat finds no key, token or password in the node's log that the bot shows
  it("shows the newest lines of a node's log, without secrets", async () => {
    const file = join(chain.directory, "node.log");
    assert.include((await admins.request("/gethlog")).text, "An internal error", "there is no such file yet");
    const hash = `0x${"ab".repeat(32)}`;
    const lines = [...Array(2_000).keys()].map((line) => `old line ${line}`);
    await writeFile(
      file,
      [
        ...lines,
        `imported block ${hash}`,
        `key=${chain.variables.RELAYER_KEY} admin ${chain.variables.ADMIN_KEY}`,
        "rpc http://user:hunter2@node",
        `url bot${telegram.token}/x`,
        "",
      ].join("\n"),
    );
    const { text, file: sent } = await admins.request("/gethlog");
    const shown = sent?.content.toString() ?? text;
    for (const piece of ["old line 1999", `imported block ${hash}`, "http://***@node"]) assert.include(shown, piece);
    for (const piece of [
      "old line 5\n",
      "hunter2",
      telegram.token,
      ...[chain.variables.RELAYER_KEY, chain.variables.ADMIN_KEY].map((key) => key?.replace("0x", "") ?? "-"),
    ])
      assert.notInclude(shown, piece);
  });

  it("is followed when it becomes a supergroup, which has another number", async () => {
    const supergroup = telegram.group(-1_001_234_567_890, 8001);
    telegram.onCall = ({ method, fields }) =>
      method === "sendMessage" && Number(fields["chat_id"]) === admins.id
        ? {
            error_code: 400,
            description: "Bad Request: group chat was upgraded to a supergroup chat",
            parameters: { migrate_to_chat_id: supergroup.id },
          }
        : undefined;
    chain.proxy.mode = "off";
    await eventually(async () => assert.match(supergroup.messages.at(-1)?.text ?? "", /^🔴 node_down\n/));
    chain.proxy.mode = "pass";
    await eventually(async () => assert.match(supergroup.messages.at(-1)?.text ?? "", /^🟢 node_down is over\n/));
    telegram.onCall = () => undefined;
  });
});
