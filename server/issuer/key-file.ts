import { readFile, stat } from "node:fs/promises";
import { basename } from "node:path";
import * as z from "zod";
import { SealbookError } from "../errors.ts";
import { writeFileDurably } from "../kit/durable-file.ts";

const hexBytes = (length: number) => z.string().regex(new RegExp(`^[0-9a-f]{${2 * length}}$`));

const publicParts = { created_at: z.iso.datetime(), public_key: hexBytes(65) };
const CurrentKey = z.union([
  z.strictObject({ ...publicParts, private_key: hexBytes(32) }),
  z.strictObject({ ...publicParts, keystore: z.string() }),
]);
const RetiredKey = z.strictObject({ ...publicParts, retired_at: z.iso.datetime() });

/** Newest first. Only the newest key has a private key; the others have their time of retirement. */
const KeyFile = z.object({ keys: z.tuple([CurrentKey], RetiredKey) });

export type CurrentKey = z.output<typeof CurrentKey>;
export type RetiredKey = z.output<typeof RetiredKey>;
export type KeyFile = z.output<typeof KeyFile>;

/**
 * Reads the keys of a file.
 * @throws SealbookError `config_invalid` if it does not contain keys
 */
export async function readKeyFile(file: string): Promise<KeyFile> {
  const parsed = KeyFile.safeParse(jsonOf(await readFile(file, "utf8")));
  if (!parsed.success) throw new SealbookError("config_invalid", `${shown(file)} does not contain the issuer's keys`);
  return parsed.data;
}

/** Replaces a file of keys. */
export async function writeKeyFile(file: string, content: KeyFile): Promise<void> {
  await writeFileDurably(file, [Buffer.from(`${JSON.stringify(content, null, 2)}\n`)]);
}

/** Identifies the version of a file by its metadata. */
export async function versionOf(file: string): Promise<string> {
  try {
    const { ino, size, mtimeNs } = await stat(file, { bigint: true });
    return `${ino} ${size} ${mtimeNs}`;
  } catch (error) {
    throw new SealbookError("config_invalid", `${shown(file)} cannot be read; restore it from a backup`, {
      cause: error,
    });
  }
}

/** Names the file in messages without its absolute path, because messages can be public. */
export function shown(file: string): string {
  return `${basename(file)} in DATA_DIR`;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
