import { execFile } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { assert } from "chai";
import { hexlify } from "ethers";
import { HashedHeader } from "../../server/chain/evidence/block-header.ts";
import { type BftProtocol, decodeExtraData } from "../../server/chain/evidence/consensus-seals.ts";
import { VerifiedChain } from "../../server/chain/evidence/verified-chain.ts";
import { fetchBlock } from "../../server/chain/node/node-block.ts";
import { fetchChainId, connectRpc } from "../../server/chain/rpc/connect.ts";
import type { Rpc } from "../../server/chain/rpc/rpc.ts";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";
import { eventually } from "../support/eventually.ts";
import { itToOurNodes, type NetworkUnderTest, startNetworkUnderTest } from "../support/bft/network-under-test.ts";
import type { RelayedNetwork } from "../support/bft/relayed-network.ts";
import { startServer, type TestServer } from "../support/server.ts";

const run = promisify(execFile);
const VERIFIER = join(import.meta.dirname, "../../verifier/verify.mjs");
const PROTOCOLS: readonly BftProtocol[] = ["ibft2", "qbft"];

for (const protocol of process.env["TEST_BFT_RPC"] === undefined ? PROTOCOLS : PROTOCOLS.slice(0, 1))
  describe(`blocks of a network of validators, with ${protocol} unless it runs already`, () => {
    let chain: NetworkUnderTest;
    let own: RelayedNetwork | undefined;
    let server: TestServer;
    let rpc: Rpc;
    let directory: string;
    before(async () => {
      const started = await startNetworkUnderTest({ protocol });
      [chain, own] = [started, started.own];
      server = await startServer({ ...chain.variables, PROOF_WAIT: "60" }, { directory: chain.directory });
      rpc = connectRpc(chain.url, await fetchChainId(chain.url));
      directory = await temporaryDirectory();
    });
    after(async () => {
      rpc.close();
      await server.stop("keep");
      await chain.stop();
      await removeDirectory(directory);
    });

    /** Proves a document, and writes it beside its bundle. */
    const bundle = async (): Promise<{ readonly paths: readonly [string, string]; readonly block: number }> => {
      const document = randomBytes(32).toString("hex");
      const hash = createHash("sha256").update(document).digest("hex");
      const { status, body, text } = await server.post("/api/v1/proof", { document_id: document, hash });
      assert.equal(status, 201, text);
      const paths = [join(directory, `${document}.bundle.json`), join(directory, document)] as const;
      const response = await server.get(`/api/v1/proof/${document}?format=bundle`);
      assert.equal(response.status, 200, response.text);
      await writeFile(paths[0], response.text);
      await writeFile(paths[1], document);
      return { paths, block: body.proof.block_number };
    };
    const list = async (addresses: readonly string[]): Promise<string> => {
      const path = join(directory, `validators-${addresses.length}.txt`);
      await writeFile(path, addresses.join("\n"));
      return path;
    };
    const addresses = (): string[] => chain.validators.map(([address]) => address);

    it("prove their content offline by the seals of the validators", async () => {
      const { paths } = await bundle();
      const { stdout } = await run(process.execPath, [VERIFIER, ...paths, "--validators", await list(addresses())]);
      assert.match(stdout, /VERIFIED\. .*; by the commit seals of the chain's validators\.\n$/);
      const others = await list(addresses().slice(1));
      const refused = await run(process.execPath, [VERIFIER, ...paths, "--validators", others]).catch(
        (error: { stdout: string }) => error,
      );
      assert.match(refused.stdout, /NOT VERIFIED\.\n$/);
    });

    itToOurNodes("prove their content as well after a round change", async () => {
      const network = own ?? assert.fail();
      for (const index of [1, 4]) network.at(index).proposes = false;
      const roundOf = async (block: number): Promise<number> => {
        const header = (await fetchBlock(rpc, block, HashedHeader)) ?? assert.fail();
        return decodeExtraData(protocol, header.extraData).round;
      };
      const { paths } = await eventually(async () => {
        const made = await bundle();
        assert.isAbove(await roundOf(made.block), 0, "another one");
        return made;
      });
      const { stdout } = await run(process.execPath, [VERIFIER, ...paths, "--validators", await list(addresses())]);
      assert.match(stdout, /by the commit seals of the chain's validators\.\n$/);
    });

    it("are sealed by a quorum of the validators", async () => {
      const head = await chain.head();
      for (let number = Math.max(1, head - 8); number <= head; number += 1) {
        const block = (await new VerifiedChain(rpc).block(number)) ?? assert.fail();
        assert.notEqual(block.protocol, "none");
        assert.sameMembers(
          block.validators.map((each) => hexlify(each)),
          addresses().map((each) => each.toLowerCase()),
        );
      }
    });
  });
