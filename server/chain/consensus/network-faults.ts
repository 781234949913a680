import { mostFaulty, quorumOf } from "../evidence/consensus-seals.ts";

/** A fault of the network, or of what the relayer has to pay there, that does not stop it. */
export interface NetworkFault {
  readonly kind: "node_down" | "degraded_performance" | "low_balance";
  /** Identifies the fault: the same text each time. */
  readonly subject: string;
  readonly message: string;
}

/** The facts that faults are found in. */
export interface NetworkFacts {
  readonly validators: readonly string[];
  readonly participation: readonly {
    readonly validator: string;
    readonly state: "active" | "silent" | "missing";
    readonly missedProposals: number;
  }[];
  /** Validators that are not there while no blocks come, and their number that the quorum lacks. */
  readonly stall?: { readonly missing: readonly string[]; readonly quorumMissing: number } | undefined;
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
  const { validators, participation, stall, peers, addresses } = facts;
  const { length } = validators;
  // The blocks do not show who left after the newest one, and the connections not who is there but takes no part.
  const inactive = participation.filter(({ state }) => state === "missing").length;
  const missing = Math.max(inactive, stall?.missing.length ?? 0);
  const spare = Math.max(0, mostFaulty(length) - missing);
  const left =
    stall !== undefined && stall.quorumMissing > 0
      ? `there are no blocks without ${stall.quorumMissing} more`
      : spare === 0
        ? "the quorum tolerates no more"
        : `the quorum tolerates ${spare} more`;
  const worse = (subject: string, message: string): NetworkFault => ({
    kind: "degraded_performance",
    subject,
    message,
  });
  const faults: NetworkFault[] = [];
  for (const { validator, state, missedProposals } of participation) {
    if (state === "missing") {
      faults.push(
        worse(
          `validator ${validator}`,
          `validator ${validator} neither signs nor proposes blocks: ${missing} of ${length} validators are missing, ` +
            `the quorum is ${quorumOf(length)}, ${left}`,
        ),
      );
    } else if (state === "silent") {
      faults.push(
        worse(
          `proposals of ${validator}`,
          `validator ${validator} signs blocks but proposes none: it missed ${missedProposals} proposals, ` +
            "each of which caused a request timeout",
        ),
      );
    }
  }
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
