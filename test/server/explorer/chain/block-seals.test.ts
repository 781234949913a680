import { assert } from "chai";
import { getAddress } from "ethers";
import { BlockReader } from "../../../../server/explorer/chain/block-reader.ts";
import { ContractNames } from "../../../../server/explorer/chain/contract-names.ts";
import { connectRpc } from "../../../../server/chain/rpc/connect.ts";
import type { Rpc } from "../../../../server/chain/rpc/rpc.ts";
import { bftRpc, testValidators } from "../../../support/bft-chain.ts";
import { type RawAnvil, startRawAnvil } from "../../../support/raw-anvil.ts";

const UNKNOWN = `0x${"00".repeat(20)}`;

describe("a block's seals in the explorer", function () {
  let anvil: RawAnvil;
  let rpc: Rpc;
  before(async () => {
    anvil = await startRawAnvil();
    rpc = connectRpc(anvil.http, anvil.chainId);
    await rpc.call("evm_mine", []);
  });
  after(async () => {
    rpc.close();
    await anvil.stop();
  });

  const validators = testValidators(4);
  const [first = ""] = validators.addresses;
  const reader = (chain: Rpc) =>
    new BlockReader(
      chain,
      new ContractNames({ SessionRegistry: UNKNOWN, EventTable: UNKNOWN, ProofAnchor: UNKNOWN }),
      new Map([[first, "Data centre 1"]]),
    );

  for (const protocol of ["ibft2", "qbft"] as const) {
    it(`of ${protocol} are those of its header, with names where known`, async () => {
      const sealing = { protocol, validators, round: 1, signers: validators.keys.slice(0, 3) };
      const block = await reader(bftRpc(rpc, sealing)).block(1, { limit: 10 });
      assert.equal(block?.commit_seals?.protocol, protocol);
      assert.equal(block?.commit_seals?.quorum, 3);
      assert.deepEqual(
        block?.commit_seals?.validators.map(({ address }) => address),
        validators.addresses.map((address) => getAddress(address)),
      );
      assert.deepEqual(
        block?.commit_seals?.signers,
        validators.addresses.slice(0, 3).map((address, index) => ({
          address: getAddress(address),
          name: index === 0 ? "Data centre 1" : undefined,
        })),
      );
    });
  }

  it("are empty on a chain without seals", async () => {
    const block = await reader(rpc).block(1, { limit: 10 });
    assert.equal(block?.number, 1);
    assert.isUndefined(block?.commit_seals);
  });
});
