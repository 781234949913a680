/** A fault of the network, or of what the relayer has to pay there, that does not stop it. */
export interface NetworkFault {
  readonly kind: "node_down" | "degraded_performance" | "low_balance";
  /** Identifies the fault: the same text each time. */
  readonly subject: string;
  readonly message: string;
}

/** The facts that faults are found in. */
export interface NetworkFacts {
  /** Listed nodes that are not connected, and connected ones that are not listed. */
  readonly peers: {
    readonly count: number;
    readonly listed: number | undefined;
    readonly missing: readonly string[];
    readonly unlisted: readonly string[];
  };
  readonly addresses: readonly {
    readonly address: string;
    readonly reachable: boolean;
    readonly reason: string | undefined;
  }[];
}

/** Finds the faults of a network, besides those that make its node unusable. */
export function networkFaults(facts: NetworkFacts): readonly NetworkFault[] {
  const { peers, addresses } = facts;
  const worse = (subject: string, message: string): NetworkFault => ({
    kind: "degraded_performance",
    subject,
    message,
  });
  const faults: NetworkFault[] = [];
  for (const name of peers.unlisted)
    faults.push(worse(`peer ${name}`, `the node is connected to ${name}, which is not in NODE_LIST_FILE`));
  if (peers.listed !== undefined && peers.count - peers.unlisted.length < peers.listed) {
    const missingPeers = peers.missing.length === 0 ? "" : `; missing: ${peers.missing.join(", ")}`;
    faults.push(
      worse("peers", `the node has ${peers.count - peers.unlisted.length} of ${peers.listed} peers${missingPeers}`),
    );
  }
  for (const { address, reachable, reason } of addresses) {
    if (!reachable)
      faults.push({
        kind: "node_down",
        subject: address,
        message: `the node at ${address} is unavailable: ${reason ?? "it does not respond"}`,
      });
  }
  return faults;
}
