import { readFile } from "node:fs/promises";
import { z } from "zod";
import type { ResumePoint } from "./resume-point.ts";
import { CommandFailure } from "../proofs/run-command.ts";
import { writeJson } from "../proofs/write-file.ts";

const FORMAT = "sealbook-journal-check/1";

const whole = z.number().int().nonnegative();
const File = z.object({
  format: z.literal(FORMAT),
  sequence: whole,
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  chain_included: z.boolean(),
  proofs: whole.nullable(),
  keys: z
    .object({
      seeds: z.tuple([whole, whole]),
      count: z.number().int(),
      sums: z.tuple([z.number().int(), z.number().int()]),
    })
    .nullable(),
});

/**
 * Stores a resume point.
 * @param readsChain Whether the check included the chain
 */
export function writeResumePoint(
  path: string,
  { sequence, digest, proofs, keys }: ResumePoint,
  readsChain: boolean,
): Promise<void> {
  const content: z.input<typeof File> = {
    format: FORMAT,
    sequence,
    digest: Buffer.from(digest).toString("hex"),
    chain_included: readsChain,
    proofs: proofs ?? null,
    keys: keys === undefined ? null : { seeds: [...keys.seeds], count: keys.count, sums: [...keys.sums] },
  };
  return writeJson(path, content);
}

/**
 * Reads the resume point of an earlier check.
 * @throws CommandFailure when the file does not exist, or when its check did not include the chain and this one does
 */
export async function readResumePoint(path: string, readsChain: boolean): Promise<ResumePoint> {
  const { sequence, digest, proofs, keys, chain_included: chainIncluded } = await readState(path);
  if (readsChain && !chainIncluded) {
    throw new CommandFailure(
      "the earlier check did not query the chain: resume it with --offline, or check from the beginning",
    );
  }
  return { sequence, digest: Buffer.from(digest, "hex"), proofs: proofs ?? undefined, keys: keys ?? undefined };
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
