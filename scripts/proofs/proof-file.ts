import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { conforms, ConfirmedProof, PendingProof } from "../../client/index.ts";

/** Format of proof files; readers reject others. */
export const PROOF_FORMAT = "sealbook-proof/1";

const format = { format: z.literal(PROOF_FORMAT) };

const ConfirmedProofFile = ConfirmedProof.extend(format);

/**
 * A proof file: the format and the server's response. A `pending` file belongs to an accepted, unconfirmed document and
 * stores the metadata with which a retry creates the same record.
 */
export const ProofFile = z.discriminatedUnion("status", [ConfirmedProofFile, PendingProof.extend(format)]);

export type ProofFile = z.output<typeof ProofFile>;

/** An invalid proof file. */
export class ProofFileError extends Error {
  override readonly name = "ProofFileError";
}

const SUFFIX = ".proof.json";
const BUNDLE_SUFFIX = ".bundle.json";
/** Folder for proofs of files outside the working directory. No relative path contains it. */
const OUTSIDE = "%outside";

/** Returns the path of a document's proof file. */
export function proofPath(directory: string, id: string): string {
  // Windows does not allow the drive's colon in file names.
  const inside = /^(\/|[A-Za-z]:)/.test(id) ? `${OUTSIDE}/${id.replace(/^\/+/, "").replace(":", "")}` : id;
  return join(directory, `${inside}${SUFFIX}`);
}

/** Returns the path of the `number`th older proof. */
export function olderProofPath(path: string, number: number): string {
  return `${path.slice(0, -SUFFIX.length)}.proof.${number}.json`;
}

/** Returns the path of the bundle of a proof file. */
export function bundlePath(path: string): string {
  return `${path.slice(0, -SUFFIX.length)}${BUNDLE_SUFFIX}`;
}

/** Returns the path of the bundle of the `number`th older proof. */
export function olderBundlePath(path: string, number: number): string {
  return `${path.slice(0, -SUFFIX.length)}.bundle.${number}.json`;
}

/**
 * Reads a proof file.
 * @returns `undefined` if the file does not exist
 * @throws ProofFileError if the content is invalid
 */
export async function readProofFile(path: string): Promise<ProofFile | undefined> {
  let content: unknown;
  try {
    content = JSON.parse(await readFile(path, "utf8"));
  } catch (error) {
    if (error instanceof SyntaxError) throw new ProofFileError("is not JSON");
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR"))
      return undefined;
    throw error;
  }
  if (conforms(ProofFile, content)) return content;
  const issues = ProofFile.safeParse(content).error?.issues ?? [];
  throw new ProofFileError(issues.map(({ path, message }) => `${path.join(".") || "content"}: ${message}`).join("; "));
}

/** The fields that identify a record. */
export interface RecordDeps {
  readonly document_id: string;
  readonly hash: string;
  readonly metadata: { readonly timestamp: number; readonly type?: string | undefined };
}

/** Computes the recorded hash as lower-case hex. */
export function recordHashOf({ document_id, hash, metadata: { timestamp, type = "" } }: RecordDeps): string {
  return createHash("sha256").update(`${document_id}${timestamp}${type}${hash}`, "utf8").digest("hex");
}
