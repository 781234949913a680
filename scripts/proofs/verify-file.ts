import { type HashedFile, hashFile } from "./hash-file.ts";
import { contradictionIn, isAbout } from "./check-proof.ts";
import { type ProofFile, ProofFileError, proofPath, readProofFile } from "./proof-file.ts";
import { reasonOf } from "./reason.ts";
import type { ServerWitness } from "./server-witness.ts";
import type { FoundFile } from "./walk.ts";
import { UnreachableError, type Witness } from "./witness.ts";

/** What can come out for a file. */
export const RESULTS = ["verified", "changed", "no_proof", "chain_disagrees", "not_checked"] as const;

export type Result = (typeof RESULTS)[number];

/** What came out for a file. */
export interface Verdict {
  readonly file: string;
  readonly result: Result;
  /** Why it is not verified. */
  readonly reason?: string;
  /** Whose word it is. */
  readonly by?: "chain" | "server";
  readonly bytes?: number;
  readonly hash?: string;
  readonly document_id?: string;
  readonly tx_hash?: string;
  readonly block_number?: number;
  /** Unix seconds at which the document was there, as it is now. */
  readonly timestamp?: number;
}

/** What holds for every file of a run. */
export interface VerifySettings {
  /** The folder of proof files. */
  readonly directory: string;
  readonly witness: Witness;
  /** Asked about files that have no proof file. */
  readonly server: ServerWitness;
  /** Whether a proof that was made under another name counts. */
  readonly anyId: boolean;
}

/** Checks a file against its proof, and the proof against the witness. */
export async function verifyFile(file: FoundFile, settings: VerifySettings): Promise<Verdict> {
  const verdict = (result: Result, reason: string): Verdict => ({ file: file.id, result, reason });
  try {
    const hashed = await hashFile(file.path);
    const path = proofPath(settings.directory, file.id);
    const kept = await readProofFile(path);
    const outcome =
      kept === undefined ? await askServer(hashed, settings.server) : await checkKept(file, hashed, kept, settings);
    return { file: file.id, ...outcome, ...hashed };
  } catch (error) {
    if (error instanceof ProofFileError) return verdict("no_proof", `its proof file is not valid: ${error.message}`);
    return verdict("not_checked", error instanceof UnreachableError ? error.message : reasonOf(error));
  }
}

type Outcome = Omit<Verdict, "file" | "bytes" | "hash">;

async function askServer({ hash }: HashedFile, server: ServerWitness): Promise<Outcome> {
  const verification = await server.verify(hash);
  if (!verification.valid)
    return { result: "no_proof", reason: `there is no proof file; the server says: ${verification.message}` };
  const { tx_hash, block_number, timestamp } = verification.proof;
  return { result: "verified", by: "server", tx_hash, block_number, timestamp };
}

async function checkKept(
  file: FoundFile,
  { hash }: HashedFile,
  kept: ProofFile,
  settings: VerifySettings,
): Promise<Outcome> {
  if (kept.status === "pending") {
    return { result: "no_proof", reason: "it was accepted, but its proof is not confirmed; prove it again to get it" };
  }
  const { document_id, tx_hash, block_number, timestamp } = kept.proof;
  const about = { document_id, tx_hash, block_number, timestamp };
  const fault = contradictionIn(kept);
  if (fault !== undefined) return { result: "no_proof", reason: fault, ...about };
  if (kept.proof.hash !== hash)
    return { result: "changed", reason: "the document differs from the one that was proved", ...about };
  if (!settings.anyId && !isAbout(file.id, kept)) {
    return {
      result: "changed",
      reason: `the proof is that of another document, ${JSON.stringify(document_id)}`,
      ...about,
    };
  }
  const { witness } = settings;
  const contradiction = await witness.contradiction(kept.proof);
  if (contradiction === undefined) return { result: "verified", by: witness.name, ...about };
  return { result: "chain_disagrees", reason: contradiction, by: witness.name, ...about };
}
