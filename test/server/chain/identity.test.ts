import { assert } from "chai";
import { keccak256 } from "ethers";
import { fetchIdentity, isDeployed } from "../../../server/chain/identity.ts";
import { NodeError } from "../../../server/chain/rpc/node-error.ts";

const CONTRACTS = {
  SessionRegistry: `0x${"1".repeat(40)}`,
  EventTable: `0x${"2".repeat(40)}`,
  ProofAnchor: `0x${"3".repeat(40)}`,
};
const GENESIS = `0x${"ab".repeat(32)}`;

describe("the identity of a chain", () => {
  /** A node whose response to the n-th query for code is given. */
  const nodeWith = (codeOf: (query: number) => string) => {
    let queries = 0;
    return {
      async call(method: string): Promise<unknown> {
        if (method === "eth_chainId") return "0x7";
        if (method === "eth_getBlockByNumber") return { hash: GENESIS };
        return codeOf((queries += 1));
      },
    };
  };

  it("has the chain id, the first block and the contracts' code", async () => {
    const found = await fetchIdentity(
      nodeWith(() => "0x6001"),
      CONTRACTS,
    );
    assert.deepInclude(found, { chainId: 7, genesisHash: GENESIS });
    assert.deepEqual(found.contracts.EventTable, { address: CONTRACTS.EventTable, codeHash: keccak256("0x6001") });
  });

  it("is read again from a node that lacks code, or the state, for a moment", async () => {
    const momentary = nodeWith((query) => (query === 2 ? "0x" : "0x6001"));
    assert.isTrue(isDeployed(await fetchIdentity(momentary, CONTRACTS)));
    const pruning = nodeWith((query) => {
      if (query > 2) return "0x6001";
      throw new NodeError("missing trie node", -32000, undefined);
    });
    assert.isTrue(isDeployed(await fetchIdentity(pruning, CONTRACTS)));
  });

  it("is that of a chain without the contracts when the code stays away", async () => {
    const found = await fetchIdentity(
      nodeWith((query) => (query % 3 === 2 ? "0x" : "0x6001")),
      CONTRACTS,
    );
    assert.isFalse(isDeployed(found));
  });
});
