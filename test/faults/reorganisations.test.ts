import { assert } from "chai";
import { content } from "../support/envelope.ts";
import { eventually } from "../support/eventually.ts";
import { assertExactlyOnce, idOf } from "../support/exactly-once.ts";
import { startLoad } from "../support/load.ts";
import { startRawNode } from "../support/raw-anvil.ts";
import { type RemoteChain, startRemoteChain } from "../support/remote-chain.ts";
import { rpcCall } from "../support/rpc.ts";
import { ROUTES, startServer, type TestServer } from "../support/server.ts";

const CONFIRMATIONS = 12;
/** Depths of the reorganisations, one after the other. */
const DEPTHS = [1, 2, 3, 12, 5, 8, 1, 11, 6, 12];
/** Blocks between two of them. */
const BLOCKS_BETWEEN = 20;

for (const rule of [String(CONFIRMATIONS), "finalized"])
  describe(`a chain that reorganises, with CONFIRMATIONS=${rule}`, () => {
    let chain: RemoteChain;
    let server: TestServer;
    let isMining = true;
    let mining: Promise<void>;
    /** Is done between two blocks: Anvil loses blocks that it makes during a reorganisation. */
    let between: (() => Promise<void>) | undefined;

    before(async () => {
      chain = await startRemoteChain(startRawNode);
      await rpcCall(chain.url, "evm_setAutomine", false);
      mining = mine();
      server = await startServer(
        // Blocks come faster than their times, which are whole seconds.
        { ...chain.variables, CONFIRMATIONS: rule, PROOF_WAIT: "1", CHAIN_WAIT: "120" },
        {
          directory: chain.directory,
          settings: {
            chain: { clockLimitMilliseconds: 1e8 },
          },
        },
      );
    });
    after(async () => {
      await server.stop("keep");
      isMining = false;
      await mining;
      await chain.close();
    });

    const mine = async (): Promise<void> => {
      while (isMining) {
        await between?.();
        await rpcCall(chain.url, "evm_mine");
        await new Promise((resolve) => setTimeout(resolve, 25));
      }
    };
    const reorganise = (depth: number): Promise<void> =>
      new Promise((resolve, reject) => {
        between = async () => {
          between = undefined;
          await rpcCall(chain.url, "anvil_reorg", depth, []).then(resolve, reject);
        };
      });
    const head = async (): Promise<number> => Number(await rpcCall(chain.url, "eth_blockNumber"));
    const finalBlock = async (): Promise<number> =>
      rule === "finalized"
        ? Number((await rpcCall(chain.url, "eth_getBlockByNumber", "finalized", false)).number)
        : (await head()) - CONFIRMATIONS;
    const blocksLater = async (count: number): Promise<void> => {
      const until = (await head()) + count;
      await eventually(async () => assert.isAtLeast(await head(), until));
    };

    it("loses no proof, anchors none twice, and confirms none that can still change", async () => {
      const load = startLoad(server);
      /** Block hashes by the id of the proof, as they were first called confirmed. */
      const confirmed = new Map<string, string>();
      const look = async (): Promise<void> => {
        for (const document of load.accepted) {
          const id = idOf(document);
          if (confirmed.has(id)) continue;
          const { body } = await server.get(`/api/v1/proof/${id}`);
          if (body.status !== "confirmed") continue;
          assert.isAtMost(body.proof.block_number, await finalBlock(), "it is called confirmed too early");
          confirmed.set(id, body.proof.block_hash);
        }
      };
      for (const depth of DEPTHS) {
        await blocksLater(BLOCKS_BETWEEN);
        await reorganise(depth);
        await look();
      }
      await load.end();
      await eventually(async () => {
        await look();
        assert.equal(confirmed.size, load.accepted.length);
      });
      assert.isNotEmpty(load.accepted);
      for (const document of load.accepted) {
        const { body } = await server.get(`/api/v1/proof/${idOf(document)}`);
        assert.equal(body.proof.block_hash, confirmed.get(idOf(document)), "its block stays");
      }
      await assertExactlyOnce(server, chain.url, { accepted: load.accepted });
    });

    it("finds the records of final blocks", async () => {
      const account = await server.context.accounts?.create("full");
      const token = await server.login(account);
      content(await server.call(ROUTES.store, { token }, { code: "c", topic: "t", payload: {} }), ROUTES.store);
      const search = await server.call(ROUTES.search, { token }, { search: { target: "1", value: "c" } });
      assert.lengthOf(content(search, ROUTES.search).tparams.events, 1);
    });
  });
