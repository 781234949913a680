/** A node, identified by the address of its key. */
export interface PeerIdentity {
  readonly address: string;
  /** Host and port. */
  readonly endpoint: string;
}

/** The connections of a node, compared with the list of its network's nodes. */
export interface PeerReport {
  readonly count: number;
  /** Addresses of the node and its peers, if the node returns them. */
  readonly addresses: readonly string[] | undefined;
  /** Expected number of peers; `undefined` without a list. */
  readonly listed: number | undefined;
  /** Listed nodes without a connection; none for a node that does not return its peers. */
  readonly missing: readonly PeerIdentity[];
  /** Connected nodes that are not on the list. */
  readonly unlisted: readonly PeerIdentity[];
}

/**
 * Compares a node's peers with the list of nodes.
 * @param count The node's own count
 * @param connected `undefined` for a node that does not return its peers
 * @param list `undefined` without a list
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
  // A node without a known address may be on the list itself.
  const listed = self === undefined ? Math.max(0, others.length - 1) : others.length;
  if (connected === undefined) return { count, addresses, listed, missing: [], unlisted: [] };
  const isAmong =
    (nodes: readonly PeerIdentity[]) =>
    ({ address }: PeerIdentity) =>
      nodes.some((node) => node.address === address);
  const missing = self === undefined ? [] : others.filter((node) => !isAmong(connected)(node));
  return { count, addresses, listed, missing, unlisted: connected.filter((node) => !isAmong(list)(node)) };
}
