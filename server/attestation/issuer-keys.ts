import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { ed25519Signer } from "./ed25519-signer.ts";
import type { Issuer, IssuerKey, IssuerSigner } from "../proofs/index.ts";
import { SealbookError } from "../errors.ts";
import { writeFileDurably } from "../kit/durable-file.ts";
import { hex } from "../kit/hex.ts";

const SEED_LENGTH = 32;

const Hex32 = z.string().regex(/^[0-9a-f]{64}$/);

/** Newest first. Only the newest key has a private key; the others have their time of retirement. */
const KeyFile = z.object({
  keys: z.tuple(
    [z.object({ created_at: z.iso.datetime(), public_key: Hex32, private_key: Hex32 })],
    z.object({ created_at: z.iso.datetime(), public_key: Hex32, retired_at: z.iso.datetime() }),
  ),
});

type KeyFile = z.output<typeof KeyFile>;

interface Loaded {
  /** Identifies the version of the file by its metadata. */
  readonly version: string;
  readonly content: KeyFile;
  readonly signer: IssuerSigner;
}

/** Returns the path of the key file in a data folder. */
export function issuerKeysFile(dataDirectory: string): string {
  return join(dataDirectory, "issuer-keys.json");
}

/**
 * The signing keys of this installation, in a file that only its owner can read. Reloads the file after changes, so
 * that a running server uses a rotated key.
 */
export class IssuerKeys implements Issuer {
  readonly #file: string;
  #loaded: Loaded;

  private constructor(file: string, loaded: Loaded) {
    this.#file = file;
    this.#loaded = loaded;
  }

  /**
   * Reads the file. Creates it with a first key if it does not exist.
   * @throws SealbookError `config_invalid` if the file does not contain keys
   */
  static async open(file: string): Promise<IssuerKeys> {
    if (!existsSync(file)) {
      await mkdir(dirname(file), { recursive: true });
      await write(file, { keys: [newKey()] });
    }
    return new IssuerKeys(file, await load(file));
  }

  async signer(): Promise<IssuerSigner> {
    return (await this.#current()).signer;
  }

  async keys(): Promise<readonly IssuerKey[]> {
    const [newest, ...retired] = (await this.#current()).content.keys;
    return [
      { publicKey: Buffer.from(newest.public_key, "hex"), createdAt: newest.created_at, retiredAt: undefined },
      ...retired.map(({ public_key, created_at, retired_at }) => ({
        publicKey: Buffer.from(public_key, "hex"),
        createdAt: created_at,
        retiredAt: retired_at,
      })),
    ];
  }

  /** Creates the new signing key and deletes the previous private key. The previous public key remains published. */
  async rotate(): Promise<void> {
    const [newest, ...retired] = (await this.#current()).content.keys;
    const key = newKey();
    const { created_at, public_key } = newest;
    await write(this.#file, { keys: [key, { created_at, public_key, retired_at: key.created_at }, ...retired] });
  }

  async #current(): Promise<Loaded> {
    if ((await versionOf(this.#file)) !== this.#loaded.version) this.#loaded = await load(this.#file);
    return this.#loaded;
  }
}

function newKey(): KeyFile["keys"][0] {
  const seed = randomBytes(SEED_LENGTH);
  return {
    created_at: new Date().toISOString(),
    public_key: hex(ed25519Signer(seed).publicKey),
    private_key: seed.toString("hex"),
  };
}

async function write(file: string, content: KeyFile): Promise<void> {
  await writeFileDurably(file, [Buffer.from(`${JSON.stringify(content, null, 2)}\n`)]);
}

async function load(file: string): Promise<Loaded> {
  // Reads the version before the content, so that a replacement in between triggers another reload.
  const version = await versionOf(file);
  const parsed = KeyFile.safeParse(jsonOf(await readFile(file, "utf8")));
  if (!parsed.success) throw new SealbookError("config_invalid", `${shown(file)} does not contain the issuer's keys`);
  const [{ public_key, private_key }] = parsed.data.keys;
  const signer = ed25519Signer(Buffer.from(private_key, "hex"));
  if (hex(signer.publicKey) !== public_key) {
    throw new SealbookError("config_invalid", `${shown(file)} has a public key that does not match its private key`);
  }
  return { version, content: parsed.data, signer };
}

async function versionOf(file: string): Promise<string> {
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
function shown(file: string): string {
  return `${basename(file)} in DATA_DIR`;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
