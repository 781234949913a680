import type { JournalSource } from "../entries/entry-source.ts";
import { type ObjectName, ReplicaFault } from "../replication/replica-object.ts";
import type { DivergenceTracker } from "./divergence-tracker.ts";
import { equalBytes } from "../../kit/bytes.ts";

/** A replica of the journal. */
export interface Replica {
  readonly name: string;
  /** The newest entry that it has, as far as its replicator knows. */
  readonly replicated: () => number;
  /**
   * Reads from the first object on.
   * @throws ReplicaFault at the first fault
   */
  objects(): AsyncIterable<ObjectName>;
}

export interface ReplicaCheckDeps {
  readonly entries: JournalSource;
  readonly divergences: Pick<DivergenceTracker, "diverged" | "resolved" | "unchecked">;
  /** Called for a replica that could not be read; its replicator reports that, too. */
  readonly onUnreachable: (name: string, error: unknown) => void;
}

/** Compares replicas with the journal: each object is valid and ends with the digest of the journal. */
export class ReplicaCheck {
  readonly #deps: ReplicaCheckDeps;

  constructor(deps: ReplicaCheckDeps) {
    this.#deps = deps;
  }

  async run(replica: Replica, isStopped: () => boolean): Promise<void> {
    const { entries, divergences, onUnreachable } = this.#deps;
    const subject = { kind: "replica", name: replica.name } as const;
    const expected = replica.replicated();
    let reached = 0;
    try {
      for await (const { name, last, digest } of replica.objects()) {
        if (isStopped()) return;
        reached = last;
        if (!equalBytes(await entries.digestAt(last), Buffer.from(digest, "hex")))
          throw new ReplicaFault(`${name} does not have the journal's digest at entry ${last}`);
      }
      if (reached < expected)
        throw new ReplicaFault(`it ends with entry ${reached}, and had the entries up to ${expected}`);
      await divergences.resolved(subject);
    } catch (error) {
      if (error instanceof ReplicaFault || error instanceof RangeError) {
        await divergences.diverged(subject, `the replica ${replica.name} differs from the journal: ${error.message}`);
      } else if (!isStopped()) {
        divergences.unchecked(subject);
        onUnreachable(replica.name, error);
      }
    }
  }
}
