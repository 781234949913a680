import { readFile } from "node:fs/promises";
import {
  BundleRecord,
  ClientError,
  type ConfirmedProof,
  type ProofResponse,
  type ProofClient,
} from "../../client/index.ts";
import { hashFile } from "./hash-file.ts";
import {
  bundlePath,
  PROOF_FORMAT,
  type ProofFile,
  ProofFileError,
  proofPath,
  readProofFile,
  recordHashOf,
} from "./proof-file.ts";
import type { FoundFile } from "./walk.ts";
import { keepOlderProof, writeJson, writeText } from "./write-file.ts";

/** Settings of a run. */
export interface ProveSettings {
  readonly client: ProofClient;
  /** The folder of proof files. */
  readonly directory: string;
  readonly type: string | undefined;
  readonly source: string | undefined;
  readonly idPrefix: string;
  /** Whether to store a bundle next to each proof. */
  readonly bundles: boolean;
}

/** A file with its proof. */
export interface ProvedFile {
  readonly bytes: number;
  readonly proof: ConfirmedProof["proof"];
  /** Path of the proof file. */
  readonly proofFile: string;
  /** Path of its bundle; `undefined` without bundles. */
  readonly bundleFile: string | undefined;
  /** Whether the proof existed before. */
  readonly reused: boolean;
}

/** The server accepted the document but did not confirm it in time. */
export class StillPendingError extends Error {
  override readonly name = "StillPendingError";
}

/** Signals of a run: `stop` ends local work, `giveUp` aborts requests in flight. */
export interface ProveSignals {
  readonly stop: AbortSignal;
  readonly giveUp: AbortSignal;
}

/** Creates or reuses the proof of a file's current content. */
export async function proveFile(
  file: FoundFile,
  settings: ProveSettings,
  { stop, giveUp }: ProveSignals,
): Promise<ProvedFile> {
  const { client, directory, idPrefix } = settings;
  const { hash, bytes } = await hashFile(file.path, stop);
  const document_id = `${idPrefix}${file.id}`;
  const path = proofPath(directory, file.id);
  const existing = await readExisting(path);
  const same =
    existing !== undefined && existing !== "unusable" && isSameRecord(existing, document_id, hash, settings.type);
  if (same && existing.status === "confirmed") {
    const bundleFile = await keepBundle(existing.proof, path, settings, giveUp);
    return { bytes, proof: existing.proof, proofFile: path, bundleFile, reused: true };
  }

  const metadata = same && existing.status === "pending" ? existing.metadata : newMetadata(settings);
  const response = await client.submit({ document_id, hash, metadata }, { signal: giveUp });
  checkResponse(response, recordHashOf({ document_id, hash, metadata }));
  // A pending file of the same record is overwritten, not kept as an older proof.
  if (existing !== undefined && !same) await keepOlderProof(path);
  await writeJson(path, { format: PROOF_FORMAT, ...response });
  if (response.status === "pending") {
    throw new StillPendingError(
      "was accepted and will be anchored, but was not confirmed in time; run prove again to fetch its proof",
    );
  }
  return {
    bytes,
    proof: response.proof,
    proofFile: path,
    bundleFile: await keepBundle(response.proof, path, settings, giveUp),
    reused: false,
  };
}

/** Stores the bundle of a proof next to it. */
async function keepBundle(
  { id }: ConfirmedProof["proof"],
  path: string,
  { client, bundles }: ProveSettings,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (!bundles) return undefined;
  const file = bundlePath(path);
  if (await isBundleOf(file, id)) return file;
  const bundle = await client.bundle(id, { signal }).catch((error: unknown) => {
    if (error instanceof ClientError && error.code === "conflict")
      throw new Error(`has a proof but no bundle: ${error.message}`, { cause: error });
    throw error;
  });
  if (bundle === undefined) throw new Error("has a proof, but the server has no record of it and returns no bundle");
  await writeText(file, bundle);
  return file;
}

async function isBundleOf(file: string, id: string): Promise<boolean> {
  try {
    return BundleRecord.parse(JSON.parse(await readFile(file, "utf8"))).record.record_hash === id;
  } catch {
    return false;
  }
}

function newMetadata({ type, source }: ProveSettings): { timestamp: number; type?: string; source?: string } {
  return {
    ...(type === undefined ? {} : { type }),
    // Set once, so that retries create the same record.
    timestamp: Math.floor(Date.now() / 1000),
    ...(source === undefined ? {} : { source }),
  };
}

/** Reads the existing proof file. An invalid file is kept like an older proof. */
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
    // Ignores an altered proof.
    record.record_hash === recordHashOf(record)
  );
}

function checkResponse(response: ProofResponse, recordHash: string): void {
  const record = response.status === "confirmed" ? response.proof : response;
  if (record.record_hash !== recordHash || recordHashOf(record) !== recordHash) {
    throw new Error("the server returned the proof of a different document");
  }
}
