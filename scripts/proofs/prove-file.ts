import { type ConfirmedProof, type ProofAnswer, type ProofClient } from "../../client/index.ts";
import { hashFile } from "./hash-file.ts";
import { PROOF_FORMAT, type ProofFile, ProofFileError, proofPath, readProofFile, recordHashOf } from "./proof-file.ts";
import type { FoundFile } from "./walk.ts";
import { keepOlderProof, writeJson } from "./write-file.ts";

/** What holds for every file of a run. */
export interface ProveSettings {
  readonly client: ProofClient;
  /** The folder of proof files. */
  readonly directory: string;
  readonly type: string | undefined;
  readonly source: string | undefined;
  readonly idPrefix: string;
}

/** A file that has its proof now. */
export interface ProvedFile {
  readonly bytes: number;
  readonly proof: ConfirmedProof["proof"];
  /** Path of the proof file. */
  readonly proofFile: string;
  /** Whether the proof was there before. */
  readonly reused: boolean;
}

/** The document was accepted, but no confirmation came in time. */
export class StillPendingError extends Error {
  override readonly name = "StillPendingError";
}

/** Signals of a run: one stops what is local, the other gives up on what the server may have accepted. */
export interface ProveSignals {
  readonly stop: AbortSignal;
  readonly giveUp: AbortSignal;
}

/** Sees to it that a file has a proof of its present content. */
export async function proveFile(file: FoundFile, settings: ProveSettings, { stop, giveUp }: ProveSignals): Promise<ProvedFile> {
  const { client, directory, idPrefix } = settings;
  const { hash, bytes } = await hashFile(file.path, stop);
  const document_id = `${idPrefix}${file.id}`;
  const path = proofPath(directory, file.id);
  const existing = await readExisting(path);
  const same = existing !== undefined && existing !== "unusable" && isSameRecord(existing, document_id, hash, settings.type);
  if (same && existing.status === "confirmed") return { bytes, proof: existing.proof, proofFile: path, reused: true };

  const metadata = same && existing.status === "pending" ? existing.metadata : newMetadata(settings);
  const answer = await client.submit({ document_id, hash, metadata }, { signal: giveUp });
  checkAnswer(answer, recordHashOf({ document_id, hash, metadata }));
  // What is replaced by its own confirmation is not another content.
  if (existing !== undefined && !same) await keepOlderProof(path);
  await writeJson(path, { format: PROOF_FORMAT, ...answer });
  if (answer.status === "pending") {
    throw new StillPendingError("was accepted and will be anchored, but was not confirmed in time; prove it again to get its proof");
  }
  return { bytes, proof: answer.proof, proofFile: path, reused: false };
}

function newMetadata({ type, source }: ProveSettings): { timestamp: number; type?: string; source?: string } {
  return {
    ...(type === undefined ? {} : { type }),
    // Fixed here, so that every further try is the same record.
    timestamp: Math.floor(Date.now() / 1000),
    ...(source === undefined ? {} : { source }),
  };
}

/** Something that is there but is no proof file is kept like an older proof. */
async function readExisting(path: string): Promise<ProofFile | "unusable" | undefined> {
  try {
    return await readProofFile(path);
  } catch (error) {
    if (error instanceof ProofFileError) return "unusable";
    throw error;
  }
}

function isSameRecord(existing: ProofFile, documentId: string, hash: string, type: string | undefined): boolean {
  const record = existing.status === "confirmed" ? existing.proof : existing;
  return (
    record.document_id === documentId &&
    record.hash === hash &&
    (type === undefined || record.metadata.type === type) &&
    // A proof that was tampered with is none.
    record.record_hash === recordHashOf(record)
  );
}

function checkAnswer(answer: ProofAnswer, recordHash: string): void {
  const record = answer.status === "confirmed" ? answer.proof : answer;
  if (record.record_hash !== recordHash || recordHashOf(record) !== recordHash) {
    throw new Error("the server answered with the proof of something else");
  }
}
