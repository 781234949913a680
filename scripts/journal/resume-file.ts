import { readFile } from "node:fs/promises";
import * as z from "zod";
import { GENESIS_DIGEST, type JournalHead } from "../../server/journal/integrity/entry-chain.ts";
import { CommandFailure } from "../commands/run-command.ts";
import { writeJson } from "../proofs/write-file.ts";

/** The point up to which a check had no findings; a later check can continue there. */
export interface ResumePoint extends JournalHead {
  /** Number of proofs up to that point; `undefined` when they were not counted. */
  readonly proofs: number | undefined;
}

/** The point before the first entry. */
export const BEGINNING: ResumePoint = { sequence: 0, digest: GENESIS_DIGEST, proofs: 0 };

const FORMAT = "sealbook-journal-check/1";

const whole = z.number().int().nonnegative();
const File = z.object({
  format: z.literal(FORMAT),
  sequence: whole,
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  chain_included: z.boolean(),
  proofs: whole.nullable(),
});

/**
 * Stores a resume point.
 * @param readsChain Whether the check included the chain
 */
export function writeResumePoint(
  path: string,
  { sequence, digest, proofs }: ResumePoint,
  readsChain: boolean,
): Promise<void> {
  const content: z.input<typeof File> = {
    format: FORMAT,
    sequence,
    digest: Buffer.from(digest).toString("hex"),
    chain_included: readsChain,
    proofs: proofs ?? null,
  };
  return writeJson(path, content);
}

/**
 * Reads the resume point of an earlier check.
 * @throws CommandFailure when the file does not exist, or when its check did not include the chain and this one does
 */
export async function readResumePoint(path: string, readsChain: boolean): Promise<ResumePoint> {
  const { sequence, digest, proofs, chain_included: chainIncluded } = await readState(path);
  if (readsChain && !chainIncluded) {
    throw new CommandFailure(
      "the earlier check did not query the chain: resume it with --offline, or check from the beginning",
    );
  }
  return { sequence, digest: Buffer.from(digest, "hex"), proofs: proofs ?? undefined };
}

async function readState(path: string): Promise<z.output<typeof File>> {
  try {
    return File.parse(JSON.parse(await readFile(path, "utf8")));
  } catch (error) {
    const isThere = !(error instanceof Error && "code" in error && error.code === "ENOENT");
    throw new CommandFailure(
      isThere
        ? `${path} is not what an earlier check left`
        : `there is no earlier check to resume: ${path} does not exist`,
    );
  }
}
