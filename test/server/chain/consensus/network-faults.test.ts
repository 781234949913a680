import { expect } from "chai";
import { networkFaults, type NetworkFacts } from "../../../../server/chain/consensus/network-faults.ts";
import { comparePeers, type PeerIdentity } from "../../../../server/chain/consensus/peers.ts";

const peer = (address: string): PeerIdentity => ({ address, endpoint: `${address}:30303` });
const [A, B, C, D] = ["0xa", "0xb", "0xc", "0xd"].map(peer) as [PeerIdentity, PeerIdentity, PeerIdentity, PeerIdentity];
const WELL: NetworkFacts = {
  peers: { count: 3, listed: 3, missing: [], unlisted: [] },
  addresses: [],
};

describe("peer comparison", () => {
  it("compares peers with the node list, which includes the node itself", () => {
    expect(comparePeers(2, [B, C], [A, B, C], "0xa")).to.deep.include({ listed: 2, missing: [], unlisted: [] });
    expect(comparePeers(2, [B, D], [A, B, C], "0xa")).to.deep.include({ listed: 2, missing: [C], unlisted: [D] });
    // A node of its own, that makes no blocks and is on no list.
    expect(comparePeers(3, [A, B, C], [A, B, C], "0xd")).to.deep.include({ listed: 3, missing: [], unlisted: [] });
  });

  it("counts peers of a node that does not return their identities or its own", () => {
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
    });
  });
});

describe("network faults", () => {
  const messages = (facts: Partial<NetworkFacts>): string[] =>
    networkFaults({ ...WELL, ...facts }).map(({ message }) => message);

  it("returns none for a healthy network", () => expect(messages({})).to.deep.equal([]));

  it("does not count unlisted peers", () => {
    expect(messages({ peers: { count: 3, listed: 3, missing: ["b"], unlisted: ["x"] } })).to.deep.equal([
      "the node is connected to x, which is not in NODE_LIST_FILE",
      "the node has 2 of 3 peers; missing: b",
    ]);
    expect(messages({ peers: { count: 1, listed: 3, missing: [], unlisted: [] } })).to.deep.equal([
      "the node has 1 of 3 peers",
    ]);
  });

  it("names each unavailable address and the reason", () => {
    const addresses = [
      { address: "https://a", reachable: true, reason: undefined },
      { address: "https://b", reachable: false, reason: "it lags 9 blocks" },
    ];
    expect(networkFaults({ ...WELL, addresses })).to.deep.equal([
      { kind: "node_down", subject: "https://b", message: "the node at https://b is unavailable: it lags 9 blocks" },
    ]);
  });
});
