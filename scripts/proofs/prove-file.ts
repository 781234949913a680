import { ClientError, type ProofClient, type ProofResponse } from "../../client/index.ts";
import {
  findBundle,
  type HashedRecord,
  keepOlderBundle,
  prepareBundle,
  readBundle,
  recordHashOf,
} from "./bundle-file.ts";
import { contentOf, type FoundFile } from "./files.ts";
import { writeText } from "./write-file.ts";

/** Settings of a run. */
export interface ProveSettings {
  readonly client: ProofClient;
  /** The folder of bundles. */
  readonly directory: string;
  readonly type: string | undefined;
  readonly source: string | undefined;
  readonly idPrefix: string;
}

/** A file with its bundle. */
export interface ProvedFile {
  readonly document_id: string;
  readonly bytes?: number;
  readonly hash: string;
  readonly record_hash: string;
  /** Path of the bundle. */
  readonly bundleFile: string;
  /** Whether the record existed before. */
  readonly reused: boolean;
}

/** Signals of a run: `stop` ends local work, `giveUp` aborts requests in flight. */
export interface ProveSignals {
  readonly stop: AbortSignal;
  readonly giveUp: AbortSignal;
}

/** The fields of a record that decide whether it is of the same content. */
interface Recorded extends HashedRecord {
  readonly record_hash: string;
}

/** Creates the bundle of a file's current content, or reuses it. */
export async function proveFile(
  file: FoundFile,
  settings: ProveSettings,
  { stop, giveUp: signal }: ProveSignals,
): Promise<ProvedFile> {
  const { client, directory, idPrefix, type } = settings;
  const content = await contentOf(file, stop);
  const { hash } = content;
  const document_id = `${idPrefix}${file.id}`;
  const bundleFile = await findBundle(directory, file.id);
  const isSame = (record: Recorded | undefined): record is Recorded =>
    record?.document_id === document_id &&
    record.hash === hash &&
    (type === undefined || record.metadata.type === type) &&
    record.record_hash === recordHashOf(record);
  const existing = await readBundle(bundleFile);
  const proved = { document_id, ...content, bundleFile };
  if (isSame(existing?.record)) return { ...proved, record_hash: existing.record.record_hash, reused: true };
  await prepareBundle(bundleFile);
  // A run that was interrupted, or that ran into the timeout, is continued with the same record.
  const known = await client.find(document_id, { signal });
  const found = known?.status === "confirmed" ? known.proof : known;
  const reused = isSame(found);
  const metadata = reused ? found.metadata : newMetadata(settings);
  const record_hash = recordHashOf({ document_id, hash, metadata });
  assertConfirmed(await client.submit({ document_id, hash, metadata }, { signal }), record_hash);
  const bundle = await client.bundle(record_hash, { signal }).catch((error: unknown) => {
    if (error instanceof ClientError && error.code === "conflict")
      throw new Error(`has a proof but no bundle: ${error.message}`, { cause: error });
    throw error;
  });
  if (bundle === undefined) throw new Error("has a proof, but the server returns no bundle of it");
  if (existing !== undefined) await keepOlderBundle(bundleFile);
  await writeText(bundleFile, bundle);
  return { ...proved, record_hash, reused };
}

function newMetadata({ type, source }: ProveSettings): { timestamp: number; type?: string; source?: string } {
  return {
    ...(type === undefined ? {} : { type }),
    // Set once, so that retries create the same record.
    timestamp: Math.floor(Date.now() / 1000),
    ...(source === undefined ? {} : { source }),
  };
}

function assertConfirmed(response: ProofResponse, recordHash: string): void {
  const record = response.status === "confirmed" ? response.proof : response;
  if (record.record_hash !== recordHash || recordHashOf(record) !== recordHash)
    throw new Error("the server returned the proof of a different document");
  if (response.status === "pending")
    throw new Error(
      "was accepted and will be anchored, but was not confirmed in time; run prove again to fetch its bundle",
    );
}
