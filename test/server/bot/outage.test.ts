import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { assert } from "chai";
import { botVariables, register } from "../../support/bot.ts";
import { eventually } from "../../support/eventually.ts";
import { type RemoteChain, startRemoteChain } from "../../support/remote-chain.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { type Chat, TelegramServer } from "../../support/telegram-server.ts";

describe("the bot, when the chain cannot be reached", () => {
  let chain: RemoteChain;
  let telegram: TelegramServer;
  let chat: Chat;
  let server: TestServer;
  const start = async (): Promise<void> => {
    server = await startServer(
      {
        ...chain.variables,
        ...botVariables(telegram),
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
    chat = telegram.person(8001);
    await start();
  });
  after(async () => {
    await server.stop("keep");
    telegram.stop();
    await chain.close();
  });

  it("answers in the language of its users", async () => {
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
    assert.include((await chat.request("/gethlog")).text, "An internal error", "there is no such file yet");
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
    const { text, file: sent } = await chat.request("/gethlog");
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
});
