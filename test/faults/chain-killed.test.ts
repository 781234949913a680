import { readFileSync } from "node:fs";
import { join } from "node:path";
import { assert } from "chai";
import { startChainProcess } from "../support/chain-process.ts";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";
import { eventually } from "../support/eventually.ts";
import { assertExactlyOnce } from "../support/exactly-once.ts";
import { type Load, startLoad } from "../support/load.ts";
import { type ServerProcess, startProcess } from "../support/process.ts";
import { type ChainNode, type RemoteChain, startRemoteChain } from "../support/remote-chain.ts";

/** Documents that a load gets confirmed before the next kill. */
const A_FEW = 30;
const KILLS = 2;

describe("the chain, killed with kill -9 under load", function () {
  const confirms = (load: Load): Promise<void> => {
    const before = load.confirmed;
    return eventually(async () => assert.isAbove(load.confirmed, before + A_FEW), 40_000);
  };

  describe("as a process of its own", () => {
    let node: ChainNode;
    let chain: RemoteChain;
    let server: ServerProcess;
    before(async () => {
      chain = await startRemoteChain(async (directory) => (node = await startChainProcess(directory)));
      server = await startProcess(chain.directory, { ...chain.variables, PROOF_WAIT: "1", BATCH_MAX_AGE: "1" });
    });
    after(async () => {
      await server.end("SIGKILL");
      await node.stop();
      await chain.close();
    });

    it("comes back, and the relayer, which stayed, anchors everything once", async () => {
      const load = startLoad(server);
      for (let kill = 0; kill < KILLS; kill += 1) {
        await confirms(load);
        await node.stop();
        const before = load.accepted.length;
        await eventually(async () => assert.isAbove(load.accepted.length, before + 5, "it goes on accepting"));
        assert.equal((await server.get("/api/v1/status")).body.status, "down");
        node = await startChainProcess(join(chain.directory, "remote"));
        chain.proxy.target = node.url;
      }
      await confirms(load);
      await load.end();
      await assertExactlyOnce(server, chain.url, load);
    });
  });

  describe("as the Anvil that a server embeds", () => {
    let directory: string;
    let server: ServerProcess;
    before(async () => {
      directory = await temporaryDirectory();
      server = await startProcess(directory, { PROOF_WAIT: "1", BATCH_MAX_AGE: "1" });
    });
    after(async () => {
      await server.end("SIGTERM");
      await removeDirectory(directory);
    });

    it("is set up again by the server, which anchors everything once", async () => {
      const pid = () => Number(readFileSync(join(directory, "chain", "run", "anvil.pid"), "utf8"));
      const killed = new Set<number>();
      const load = startLoad(server);
      for (let kill = 0; kill < KILLS; kill += 1) {
        await confirms(load);
        await eventually(async () => assert.notInclude([...killed], pid()));
        killed.add(pid());
        process.kill(pid(), "SIGKILL");
      }
      await confirms(load);
      await load.end();
      await assertExactlyOnce(server, server.chainUrl, load);
    });
  });
});
