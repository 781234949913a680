import { assert } from "chai";
import { Wallet } from "ethers";
import { nodeInspector } from "../../../server/chain/node/node-inspector.ts";
import { connectRpc } from "../../../server/chain/rpc/connect.ts";
import { FeeSource } from "../../../server/chain/transactions/fees.ts";
import { syncLoss } from "../../../server/operations/sync-loss.ts";
import { FEES } from "../../support/fees.ts";
import { type RawAnvil, startRawAnvil } from "../../support/raw-anvil.ts";
import { rpcCall } from "../../support/rpc.ts";

describe("a node that makes blocks on demand", () => {
  let anvil: RawAnvil;
  const closing: (() => unknown)[] = [];
  before(async () => {
    anvil = await startRawAnvil();
  });
  after(async () => {
    for (const close of closing) await close();
    await anvil.stop();
  });

  it("is idle and in sync without transactions, and not with empty blocks or a waiting transaction", async () => {
    const rpc = connectRpc(anvil.http, anvil.chainId);
    closing.push(() => rpc.close());
    const relayer = Wallet.createRandom().address;
    const inspect = nodeInspector({
      rpc,
      relayer,
      fees: new FeeSource(rpc, FEES),
      rolesOf: async () => [],
      names: new Map(),
      nodes: undefined,
    });
    const blockTime = Math.floor(Date.now() / 1000) - 3_600;
    const old = `the network makes no blocks: the newest block is from ${new Date(blockTime * 1_000).toUTCString()}`;
    /** The fault of the node when its newest block is old. */
    const loss = async (): Promise<string | undefined> => syncLoss({ ...(await inspect()), blockTime }, true, 60);
    await rpcCall(anvil.http, "anvil_impersonateAccount", relayer);
    await rpcCall(anvil.http, "anvil_setBalance", relayer, "0xde0b6b3a7640000");
    const send = () => rpcCall(anvil.http, "eth_sendTransaction", { from: relayer, to: relayer, value: "0x1" });
    await rpcCall(anvil.http, "evm_setAutomine", true);
    for (let block = 0; block < 4; block += 1) await send();
    assert.isUndefined(await loss());
    await rpcCall(anvil.http, "evm_setAutomine", false);
    await send();
    assert.equal(await loss(), old);
    await rpcCall(anvil.http, "evm_mine");
    assert.isUndefined(await loss());
    await rpcCall(anvil.http, "evm_mine");
    assert.equal(await loss(), old, "it makes empty blocks");
  });
});
