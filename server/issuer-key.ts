import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { z } from "zod";
import { ed25519Signer } from "./domain/evidence/ed25519-signer.ts";
import type { BundleSigner } from "./domain/evidence/signed-bundle.ts";
import { SealbookError } from "./errors.ts";
import { writeFileDurably } from "./files/durable-file.ts";

const SEED_LENGTH = 32;

/** The public key is there for those who are to trust it; what signs is made from the private one alone. */
const IssuerKey = z.object({ private_key: z.string().regex(/^[0-9a-f]{64}$/), public_key: z.string() });

/**
 * What signs the bundles of this installation: its key is made once, and readable by the owner only. Bundles that were
 * signed with a key that is lost stay valid for whoever knows the public key.
 * @throws SealbookError `config_invalid` when the file does not hold a key
 */
export async function loadOrCreateIssuer(file: string): Promise<BundleSigner> {
  if (existsSync(file)) {
    const kept = IssuerKey.safeParse(JSON.parse(await readFile(file, "utf8")));
    if (kept.success) return ed25519Signer(Buffer.from(kept.data.private_key, "hex"));
    throw new SealbookError("config_invalid", `${file} does not hold the issuer's private_key`);
  }
  const seed = randomBytes(SEED_LENGTH);
  const signer = ed25519Signer(seed);
  const content: z.input<typeof IssuerKey> = {
    private_key: seed.toString("hex"),
    public_key: Buffer.from(signer.publicKey).toString("hex"),
  };
  await mkdir(dirname(file), { recursive: true });
  await writeFileDurably(file, [Buffer.from(`${JSON.stringify(content, null, 2)}\n`)]);
  return signer;
}
