import { assert } from "chai";
import { eventually } from "../support/eventually.ts";
import { assertExactlyOnce } from "../support/exactly-once.ts";
import { type Load, startLoad } from "../support/load.ts";
import { startProcess } from "../support/process.ts";
import { startRawNode } from "../support/raw-anvil.ts";
import { startRemoteChain } from "../support/remote-chain.ts";
import { inParallel } from "../support/parallel.ts";
import { startTcpProxy, type TcpProxy } from "../support/tcp-proxy.ts";

const CUTS = 2;

/** Disturbs the WebSocket over which a node tells of its blocks, under load. */
const disturbed = (disturb: (line: TcpProxy, load: Load) => Promise<void>) => async (): Promise<void> => {
  const chain = await startRemoteChain(startRawNode);
  const line = await startTcpProxy(Number(new URL(chain.url).port));
  const variables = { ...chain.variables, RPC_URL: `ws://127.0.0.1:${line.port}`, PROOF_WAIT: "1", BATCH_MAX_AGE: "1" };
  const server = await startProcess(chain.directory, variables);
  try {
    const load = startLoad(server);
    await disturb(line, load);
    await load.end();
    await assertExactlyOnce(server, chain.url, load);
  } finally {
    await server.end("SIGKILL");
    await line.close();
    await chain.close();
  }
};

const confirms = (load: Load): Promise<void> => {
  const before = load.confirmed;
  return eventually(async () => assert.isAbove(load.confirmed, before + 10), 60_000);
};

describe("a node's subscription that is lost under load: everything accepted ends on chain once, when the connection", function () {
  inParallel({
    "is cut again and again": disturbed(async (line, load) => {
      for (let cut = 0; cut < CUTS; cut += 1) {
        await confirms(load);
        const before = line.connections;
        line.cut();
        await eventually(async () => assert.isAbove(line.connections, before, "it is made again"));
      }
      await confirms(load);
    }),
    "goes dead without being closed": disturbed(async (line, load) => {
      await confirms(load);
      const before = line.connections;
      line.deaf = true;
      await eventually(async () => assert.isAbove(line.connections, before, "it is noticed"), 60_000);
      line.deaf = false;
      // What was opened meanwhile never hears that it is open.
      line.cut();
      await confirms(load);
    }),
  });
});
