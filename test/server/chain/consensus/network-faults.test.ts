import { expect } from "chai";
import { networkFaults, type NetworkFacts } from "../../../../server/chain/consensus/network-faults.ts";
import { comparePeers, type PeerIdentity } from "../../../../server/chain/consensus/peer-comparison.ts";

const peer = (address: string): PeerIdentity => ({ address, place: `${address}:30303` });
const [A, B, C, D] = ["0xa", "0xb", "0xc", "0xd"].map(peer) as [PeerIdentity, PeerIdentity, PeerIdentity, PeerIdentity];
const WELL: NetworkFacts = {
  validators: ["a", "b", "c", "d"],
  participation: [],
  peers: { count: 3, listed: 3, missing: [], unlisted: [] },
  addresses: [],
};

describe("the peers of a node", () => {
  it("are compared with the list of the network's nodes, on which the node itself stands", () => {
    expect(comparePeers(2, [B, C], [A, B, C], "0xa")).to.deep.include({ listed: 2, missing: [], unlisted: [] });
    expect(comparePeers(2, [B, D], [A, B, C], "0xa")).to.deep.include({ listed: 2, missing: [C], unlisted: [D] });
    // A node of its own, that makes no blocks and is on no list.
    expect(comparePeers(3, [A, B, C], [A, B, C], "0xd")).to.deep.include({ listed: 3, missing: [], unlisted: [] });
  });

  it("are counted where the node does not name them, or itself", () => {
    expect(comparePeers(2, undefined, [A, B, C], "0xa")).to.deep.include({
      count: 2,
      listed: 2,
      missing: [],
      unlisted: [],
    });
    expect(comparePeers(2, [B, D], [A, B, C], undefined)).to.deep.include({ listed: 2, missing: [], unlisted: [D] });
    expect(comparePeers(2, [B, D], undefined, "0xa")).to.deep.include({
      listed: undefined,
      missing: [],
      unlisted: [],
      addresses: ["0xa", "0xb", "0xd"],
    });
  });
});

describe("faults of a network", () => {
  const messages = (facts: Partial<NetworkFacts>): string[] =>
    networkFaults({ ...WELL, ...facts }).map(({ message }) => message);

  it("are none when all is well", () => expect(messages({})).to.deep.equal([]));

  it("name each validator and how many more may go", () => {
    const absent = (validator: string) => ({ validator, state: "absent", missedTurns: 3 }) as const;
    expect(messages({ participation: [absent("b")] })).to.deep.equal([
      "the validator b takes no part: 1 of 4 are missing, 3 have to agree, no further one may go",
    ]);
    expect(messages({ validators: Array.from("abcdefg"), participation: [absent("b")] })[0]).to.match(
      /1 of 7 are missing, 5 have to agree, 1 more may go$/,
    );
    expect(messages({ participation: [{ validator: "c", state: "silent", missedTurns: 4 }] })[0]).to.match(
      /^the validator c seals blocks and proposes none: it let 4 turns pass/,
    );
  });

  it("count no peer that is not on the list", () => {
    expect(messages({ peers: { count: 3, listed: 3, missing: ["b"], unlisted: ["x"] } })).to.deep.equal([
      "the node is connected with x, which is not on the list of the network's nodes",
      "the node has 2 of 3 peers: b lacks",
    ]);
    expect(messages({ peers: { count: 1, listed: 3, missing: [], unlisted: [] } })).to.deep.equal([
      "the node has 1 of 3 peers",
    ]);
  });

  it("name each address that is of no use, and why", () => {
    const addresses = [
      { address: "https://a", reachable: true, reason: undefined },
      { address: "https://b", reachable: false, reason: "it is 9 blocks behind" },
    ];
    expect(networkFaults({ ...WELL, addresses })).to.deep.equal([
      { kind: "node_down", subject: "https://b", message: "the node at https://b is of no use: it is 9 blocks behind" },
    ]);
  });
});
