import { assert } from "chai";
import { botVariables } from "../support/bot.ts";
import { eventually } from "../support/eventually.ts";
import { type RemoteChain, startRemoteChain } from "../support/remote-chain.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { type Chat, TelegramServer } from "../support/telegram-server.ts";

describe("the administrators' chat", function () {
  let chain: RemoteChain;
  let telegram: TelegramServer;
  let admins: Chat;
  let server: TestServer;
  const start = async (): Promise<void> => {
    server = await startServer(
      { ...chain.variables, ...botVariables(telegram), TELEGRAM_ADMIN_CHAT: String(admins.id) },
      { directory: chain.directory, overrides: { nodeLookMilliseconds: 200 } },
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

  it("is told of an alert when it is raised and when it is resolved, each once, also when Telegram was away and this server restarted", async () => {
    let lost = 0;
    telegram.onCall = ({ method }) => (method === "sendMessage" ? ((lost += 1), { error_code: 502, description: "Bad Gateway" }) : undefined);
    chain.proxy.mode = "off";
    await eventually(async () => assert.isAbove(lost, 0), 60_000);
    await server.stop("keep");
    telegram.onCall = () => undefined;
    await start();
    await eventually(async () => assert.lengthOf(admins.said, 1));
    assert.match(admins.said[0]?.text ?? "", /^🔴 node_down\n.+\nsince /);
    chain.proxy.mode = "pass";
    await eventually(async () => assert.lengthOf(admins.said, 2), 60_000);
    assert.match(admins.said[1]?.text ?? "", /^🟢 node_down is over\n.+\nfrom .+ to /);
  });

  it("has the log of a node that is not ours without its secrets only when it is told where that is", async () => {
    assert.include((await admins.ask("/gethlog")).text, "does not know where the log");
  });
});
