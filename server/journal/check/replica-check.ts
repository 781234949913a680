import { equalBytes } from "../../kit/bytes.ts";
import type { Database } from "../engine/database.ts";
import { journalSource } from "../entries/entry-source.ts";
import type { JournalKey } from "../integrity/journal-key.ts";
import { type ObjectName, ReplicaFault } from "../replication/replica-object.ts";

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

/**
 * Compares a replica with the journal: each object is valid and ends with the digest of the journal.
 * @returns the difference, if there is one
 */
export async function replicaDifference(
  database: Database,
  key: JournalKey | undefined,
  { name: replica, replicated, objects }: Replica,
  isStopped: () => boolean,
): Promise<string | undefined> {
  const entries = journalSource(database, key);
  const expected = replicated();
  let reached = 0;
  try {
    for await (const { name, last, digest } of objects()) {
      if (isStopped()) return undefined;
      reached = last;
      if (!equalBytes(await entries.digestAt(last), Buffer.from(digest, "hex")))
        throw new ReplicaFault(`${name} does not have the journal's digest at entry ${last}`);
    }
    if (reached < expected)
      throw new ReplicaFault(`it ends with entry ${reached}, and had the entries up to ${expected}`);
    return undefined;
  } catch (error) {
    if (!(error instanceof ReplicaFault || error instanceof RangeError)) throw error;
    return `the replica ${replica} differs from the journal: ${error.message}`;
  }
}
