import { computeAddress, getBytes, keccak256, type Signature, hexlify, randomBytes } from "ethers";
import { existsSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import * as z from "zod";
import type { Address } from "../transaction.ts";
import { signDigest } from "../fast-crypto.ts";
import { SealbookError } from "../../errors.ts";
import { writeFileDurably } from "../../kit/durable-file.ts";

/** The relayer's key, in this process or in a remote signer. */
export interface RelayerKey {
  readonly address: Address;
  /** Whether it is in this process: then a signature takes no time worth waiting for. */
  readonly isLocal: boolean;
  /** Signs the keccak-256 of the message. */
  sign(message: Uint8Array): Signature | Promise<Signature>;
}

/**
 * Creates a key that signs in this process.
 * @param privateKey `0x` hex of 32 bytes
 */
export function ownKey(privateKey: string): RelayerKey {
  const key = getBytes(privateKey);
  return { address: computeAddress(privateKey), isLocal: true, sign: (message) => signDigest(keccak256(message), key) };
}

const KeyFile = z.object({ relayer: z.string(), administrator: z.string() });

/** The service's own keys, as `0x` hex. The relayer signs and pays; the administrator deploys and enrols. */
type ServiceKeys = z.output<typeof KeyFile>;

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
