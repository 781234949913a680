/** A node as it is known to others: by its key's address. */
export interface PeerIdentity {
  readonly address: string;
  /** Where it is. */
  readonly place: string;
}

/** The connections of a node, against the list of those that its network has. */
export interface PeerReport {
  readonly count: number;
  /** Its own address and those of its peers, where it names them. */
  readonly addresses: readonly string[] | undefined;
  /** How many it should have; `undefined` where no list says. */
  readonly listed: number | undefined;
  /** Listed, and not connected; none where the node does not name its peers. */
  readonly missing: readonly PeerIdentity[];
  /** Connected, and not on the list. */
  readonly unlisted: readonly PeerIdentity[];
}

/**
 * @param count What the node says, whether or not it names them
 * @param connected `undefined` where the node does not name its peers
 * @param list `undefined` where there is none
 * @param self The node's own address, which is on the list and no peer
 */
export function comparePeers(
  count: number,
  connected: readonly PeerIdentity[] | undefined,
  list: readonly PeerIdentity[] | undefined,
  self: string | undefined,
): PeerReport {
  const addresses = connected && [...(self === undefined ? [] : [self]), ...connected.map(({ address }) => address)];
  if (list === undefined) return { count, addresses, listed: undefined, missing: [], unlisted: [] };
  const others = list.filter(({ address }) => address !== self);
  // A node that does not say who it is may be on the list itself.
  const listed = self === undefined ? Math.max(0, others.length - 1) : others.length;
  if (connected === undefined) return { count, addresses, listed, missing: [], unlisted: [] };
  const isAmong =
    (nodes: readonly PeerIdentity[]) =>
    ({ address }: PeerIdentity) =>
      nodes.some((node) => node.address === address);
  const missing = self === undefined ? [] : others.filter((node) => !isAmong(connected)(node));
  return { count, addresses, listed, missing, unlisted: connected.filter((node) => !isAmong(list)(node)) };
}
