import { mostFaulty, quorumOf } from "./quorum.ts";

/** A fault of the network that does not stop it. */
export interface NetworkFault {
  readonly kind: "node_down" | "degraded_performance";
  /** Identifies the fault: the same text each time. */
  readonly subject: string;
  readonly message: string;
}

/** The facts that faults are found in. */
export interface NetworkFacts {
  readonly validators: readonly string[];
  readonly participation: readonly {
    readonly validator: string;
    readonly state: "active" | "silent" | "absent";
    readonly missedTurns: number;
  }[];
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

/** Finds the faults of a network that makes blocks. */
export function networkFaults({ validators, participation, peers, addresses }: NetworkFacts): readonly NetworkFault[] {
  const { length } = validators;
  const absent = participation.filter(({ state }) => state === "absent").length;
  const spare = Math.max(0, mostFaulty(length) - absent);
  const left = spare === 0 ? "no further one may go" : `${spare} more may go`;
  const worse = (subject: string, message: string): NetworkFault => ({
    kind: "degraded_performance",
    subject,
    message,
  });
  const faults: NetworkFault[] = [];
  for (const { validator, state, missedTurns } of participation) {
    if (state === "absent") {
      faults.push(
        worse(
          `validator ${validator}`,
          `the validator ${validator} takes no part: ${absent} of ${length} are missing, ` +
            `${quorumOf(length)} have to agree, ${left}`,
        ),
      );
    } else if (state === "silent") {
      faults.push(
        worse(
          `proposals of ${validator}`,
          `the validator ${validator} seals blocks and proposes none: it let ${missedTurns} turns pass, ` +
            "each of which cost a request timeout",
        ),
      );
    }
  }
  for (const name of peers.unlisted)
    faults.push(
      worse(`peer ${name}`, `the node is connected with ${name}, which is not on the list of the network's nodes`),
    );
  if (peers.listed !== undefined && peers.count - peers.unlisted.length < peers.listed) {
    const who = peers.missing.length === 0 ? "" : `: ${peers.missing.join(", ")} lacks`;
    faults.push(worse("peers", `the node has ${peers.count - peers.unlisted.length} of ${peers.listed} peers${who}`));
  }
  for (const { address, reachable, reason } of addresses) {
    if (!reachable)
      faults.push({
        kind: "node_down",
        subject: address,
        message: `the node at ${address} is of no use: ${reason ?? "it does not answer"}`,
      });
  }
  return faults;
}
