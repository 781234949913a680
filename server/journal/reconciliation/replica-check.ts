import type { JournalSource } from "../entries/entry-source.ts";
import { SegmentFault, type SegmentManifest } from "../replication/segment.ts";
import type { DivergenceTracker } from "./divergence-tracker.ts";
import { hex } from "../../kit/bytes.ts";

/** A replica of the journal. */
export interface Replica {
  readonly name: string;
  /**
   * Reads from the first segment on.
   * @throws SegmentFault at the first invalid segment
   */
  segments(): AsyncIterable<{ readonly manifest: SegmentManifest }>;
}

export interface ReplicaCheckDeps {
  readonly entries: JournalSource;
  readonly divergences: DivergenceTracker;
  /** Called for a replica that could not be read; its replicator reports that, too. */
  readonly onUnreachable: (name: string, error: unknown) => void;
}

/** Compares replicas with the journal: each segment is valid and ends with the digest of the journal. */
export class ReplicaCheck {
  readonly #deps: ReplicaCheckDeps;

  constructor(deps: ReplicaCheckDeps) {
    this.#deps = deps;
  }

  async run(replica: Replica, isStopped: () => boolean): Promise<void> {
    const { entries, divergences, onUnreachable } = this.#deps;
    const subject = { kind: "replica", name: replica.name } as const;
    try {
      for await (const { manifest } of replica.segments()) {
        if (isStopped()) return;
        const digest = await entries.digestAt(manifest.last);
        if (digest === undefined || hex(digest) !== manifest.digest) {
          throw new SegmentFault(manifest.number, `does not have the journal's digest at entry ${manifest.last}`);
        }
      }
      await divergences.resolved(subject);
    } catch (error) {
      if (error instanceof SegmentFault || error instanceof RangeError) {
        await divergences.diverged(subject, `the replica ${replica.name} differs from the journal: ${error.message}`);
      } else {
        onUnreachable(replica.name, error);
      }
    }
  }
}
