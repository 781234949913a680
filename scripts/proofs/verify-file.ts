import { type HashedFile, hashFile } from "./hash-file.ts";
import { contradictionIn, isAbout } from "./check-proof.ts";
import { type ProofFile, ProofFileError, proofPath, readProofFile } from "./proof-file.ts";
import { reasonOf } from "./reason.ts";
import type { ServerChecker } from "./server-checker.ts";
import type { FoundFile } from "./walk.ts";
import { UnreachableError, type ProofChecker } from "./checker.ts";

/** Possible results. */
export const RESULTS = ["verified", "changed", "no_proof", "chain_disagrees", "not_checked"] as const;

export type Result = (typeof RESULTS)[number];

/** Result of a file. */
export interface Verdict {
  readonly file: string;
  readonly result: Result;
  /** Reason if the file is not verified. */
  readonly reason?: string;
  /** Source of the result. */
  readonly by?: "chain" | "server";
  readonly bytes?: number;
  readonly hash?: string;
  readonly document_id?: string;
  readonly tx_hash?: string;
  readonly block_number?: number;
  /** Unix seconds at which the unchanged document existed. */
  readonly timestamp?: number;
}

/** Settings of a run. */
export interface VerifySettings {
  /** The folder of proof files. */
  readonly directory: string;
  readonly checker: ProofChecker;
  /** Queried for files without a proof file. */
  readonly server: ServerChecker;
  /** Whether to accept proofs with a different document id. */
  readonly anyId: boolean;
}

/** Checks a file against its proof, and the proof against the chain or the server. */
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
    if (error instanceof ProofFileError) return verdict("no_proof", `its proof file is invalid: ${error.message}`);
    return verdict("not_checked", error instanceof UnreachableError ? error.message : reasonOf(error));
  }
}

type Outcome = Omit<Verdict, "file" | "bytes" | "hash">;

async function askServer({ hash }: HashedFile, server: ServerChecker): Promise<Outcome> {
  const verification = await server.verify(hash);
  if (!verification.valid)
    return { result: "no_proof", reason: `there is no proof file; message of the server: ${verification.message}` };
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
    return {
      result: "no_proof",
      reason: "it was accepted, but its proof is not confirmed; run prove again to fetch it",
    };
  }
  const { document_id, tx_hash, block_number, timestamp } = kept.proof;
  const about = { document_id, tx_hash, block_number, timestamp };
  const fault = contradictionIn(kept);
  if (fault !== undefined) return { result: "no_proof", reason: fault, ...about };
  if (kept.proof.hash !== hash)
    return { result: "changed", reason: "the document differs from the proved one", ...about };
  if (!settings.anyId && !isAbout(file.id, kept)) {
    return {
      result: "changed",
      reason: `the proof is of a different document, ${JSON.stringify(document_id)}`,
      ...about,
    };
  }
  const { checker } = settings;
  const contradiction = await checker.contradiction(kept.proof);
  if (contradiction === undefined) return { result: "verified", by: checker.name, ...about };
  return { result: "chain_disagrees", reason: contradiction, by: checker.name, ...about };
}
