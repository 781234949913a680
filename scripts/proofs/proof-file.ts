import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { conforms, ConfirmedProof, PendingProof } from "../../client/index.ts";

/** Which form of proof file this is; readers refuse any other. */
export const PROOF_FORMAT = "sealbook-proof/1";

const format = { format: z.literal(PROOF_FORMAT) };

const ConfirmedProofFile = ConfirmedProof.extend(format);

/**
 * What a proof file holds: the server's answer as it was, after the format's name. One that is `pending` was accepted
 * but not seen confirmed; it keeps what makes another try the same record.
 */
export const ProofFile = z.discriminatedUnion("status", [ConfirmedProofFile, PendingProof.extend(format)]);

export type ConfirmedProofFile = z.output<typeof ConfirmedProofFile>;
export type ProofFile = z.output<typeof ProofFile>;

/** A proof file that cannot be one of ours as it is. */
export class ProofFileError extends Error {
  override readonly name = "ProofFileError";
}

const SUFFIX = ".proof.json";
const BUNDLE_SUFFIX = ".bundle.json";
/** Where the proofs of files outside the working directory are; no relative path leads through it. */
const OUTSIDE = "%outside";

/** Where a document's proof file is. */
export function proofPath(directory: string, id: string): string {
  // A drive's colon is no character of a file name where there are drives.
  const inside = /^(\/|[A-Za-z]:)/.test(id) ? `${OUTSIDE}/${id.replace(/^\/+/, "").replace(":", "")}` : id;
  return join(directory, `${inside}${SUFFIX}`);
}

/** Where the `number`th older proof of a document is kept. */
export function olderProofPath(path: string, number: number): string {
  return `${path.slice(0, -SUFFIX.length)}.proof.${number}.json`;
}

/** Where the bundle is that belongs to a proof file. */
export function bundlePath(path: string): string {
  return `${path.slice(0, -SUFFIX.length)}${BUNDLE_SUFFIX}`;
}

/** Where the bundle of the `number`th older proof is kept. */
export function olderBundlePath(path: string, number: number): string {
  return `${path.slice(0, -SUFFIX.length)}.bundle.${number}.json`;
}

/**
 * Reads a proof file.
 * @returns `undefined` when there is none
 * @throws ProofFileError when it is none by its content
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

/** What identifies a record. */
export interface RecordDeps {
  readonly document_id: string;
  readonly hash: string;
  readonly metadata: { readonly timestamp: number; readonly type?: string | undefined };
}

/** The recorded hash, from its parts: what is anchored for a document. Lower-case hex. */
export function recordHashOf({ document_id, hash, metadata: { timestamp, type = "" } }: RecordDeps): string {
  return createHash("sha256").update(`${document_id}${timestamp}${type}${hash}`, "utf8").digest("hex");
}
