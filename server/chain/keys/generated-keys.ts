import { existsSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { hexlify, randomBytes } from "ethers";
import { z } from "zod";
import { SealbookError } from "../../errors.ts";
import { writeFileDurably } from "../../kit/durable-file.ts";

const KeyFile = z.object({ relayer: z.string(), administrator: z.string() });

/** The service's own keys, as `0x` hex. The relayer signs and pays; the administrator deploys and enrols. */
export type ServiceKeys = z.output<typeof KeyFile>;

/** Loads the keys for the embedded chain; generates them once, readable by the owner only. */
export async function loadOrCreateKeys(file: string): Promise<ServiceKeys> {
  if (existsSync(file)) {
    const parsed = KeyFile.safeParse(JSON.parse(await readFile(file, "utf8")));
    if (parsed.success) return parsed.data;
    throw new SealbookError("config_invalid", `${file} does not hold the keys relayer and administrator`);
  }
  const keys = { relayer: hexlify(randomBytes(32)), administrator: hexlify(randomBytes(32)) };
  await mkdir(dirname(file), { recursive: true });
  await writeFileDurably(file, [Buffer.from(`${JSON.stringify(keys, null, 2)}\n`)]);
  return keys;
}
