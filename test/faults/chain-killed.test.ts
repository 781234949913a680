import { join } from "node:path";
import { assert } from "chai";
import { anvilPid } from "../support/anvil-process.ts";
import { startChainProcess } from "../support/chain-process.ts";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";
import { eventually } from "../support/eventually.ts";
import { assertExactlyOnce } from "../support/exactly-once.ts";
import { startLoad } from "../support/load.ts";
import { inParallel } from "../support/parallel.ts";
import { startProcess } from "../support/process.ts";
import { type ChainNode, startRemoteChain } from "../support/remote-chain.ts";
import { FAST_RECHECK } from "../support/server.ts";

/** Documents that a load gets confirmed before the next kill. */
const A_FEW = 30;
const KILLS = 2;
const VARIABLES = { PROOF_WAIT: "1", BATCH_MAX_AGE: "1" };

describe("the chain, killed with kill -9 under load: every accepted hash is anchored once when it", () => {
  inParallel({
    "is an external process, and the relayer continues": async () => {
      let node: ChainNode | undefined;
      const chain = await startRemoteChain(async (directory) => (node = await startChainProcess(directory)));
      const server = await startProcess(chain.directory, { ...chain.variables, ...VARIABLES }, FAST_RECHECK);
      try {
        const load = startLoad(server);
        for (let kill = 0; kill < KILLS; kill += 1) {
          await load.confirms(A_FEW);
          await node?.stop();
          const before = load.accepted.length;
          await eventually(async () => assert.isAbove(load.accepted.length, before + 5, "it goes on accepting"));
          await eventually(async () => assert.equal((await server.get("/api/v1/status")).body.status, "down"));
          node = await startChainProcess(join(chain.directory, "remote"));
          chain.proxy.target = node.url;
        }
        await load.confirms(A_FEW);
        await load.end();
        await assertExactlyOnce(server, chain.url, load);
      } finally {
        await server.end("SIGKILL");
        await node?.stop();
        await chain.close();
      }
    },
    "is the Anvil of an embedded chain": async () => {
      const directory = await temporaryDirectory();
      const server = await startProcess(directory, VARIABLES, FAST_RECHECK);
      try {
        const pid = () => anvilPid(join(directory, "chain")) ?? assert.fail("not there yet");
        const killed = new Set<number>();
        const load = startLoad(server);
        for (let kill = 0; kill < KILLS; kill += 1) {
          await load.confirms(A_FEW);
          await eventually(async () => assert.notInclude([...killed], pid()));
          killed.add(pid());
          process.kill(pid(), "SIGKILL");
        }
        await load.confirms(A_FEW);
        await load.end();
        await assertExactlyOnce(server, server.chainUrl, load);
      } finally {
        await server.end("SIGTERM");
        await removeDirectory(directory);
      }
    },
  });
});
