import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { ed25519Signer } from "./ed25519-signer.ts";
import type { Issuer, IssuerKey, IssuerSigner } from "../proofs/index.ts";
import { SealbookError } from "../errors.ts";
import { writeFileDurably } from "../kit/durable-file.ts";

const SEED_LENGTH = 32;

const Hex32 = z.string().regex(/^[0-9a-f]{64}$/);

/** The newest first: it alone has its private key, the others tell when they signed last. */
const KeyFile = z.object({
  keys: z.tuple(
    [z.object({ created_at: z.iso.datetime(), public_key: Hex32, private_key: Hex32 })],
    z.object({ created_at: z.iso.datetime(), public_key: Hex32, retired_at: z.iso.datetime() }),
  ),
});

type KeyFile = z.output<typeof KeyFile>;

interface Loaded {
  /** What the file system says of the file: another one when the file is another. */
  readonly version: string;
  readonly content: KeyFile;
  readonly signer: IssuerSigner;
}

/** Where the keys of a data folder are. */
export function issuerKeysFile(dataDirectory: string): string {
  return join(dataDirectory, "issuer-keys.json");
}

/**
 * The keys with which this installation signs, in a file that only its owner can read. It is read again whenever it was
 * replaced, so that a server goes on with the key that was made beside it.
 */
export class IssuerKeys implements Issuer {
  readonly #file: string;
  #loaded: Loaded;

  private constructor(file: string, loaded: Loaded) {
    this.#file = file;
    this.#loaded = loaded;
  }

  /**
   * Reads the file; makes it, with a first key, when there is none.
   * @throws SealbookError `config_invalid` when it does not hold keys
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

  /** Makes a new key, which signs from now on. Nobody can sign with the one before it any more, only check. */
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
    public_key: Buffer.from(ed25519Signer(seed).publicKey).toString("hex"),
    private_key: seed.toString("hex"),
  };
}

async function write(file: string, content: KeyFile): Promise<void> {
  await writeFileDurably(file, [Buffer.from(`${JSON.stringify(content, null, 2)}\n`)]);
}

async function load(file: string): Promise<Loaded> {
  // Before the content: a file that is replaced in between is read once more.
  const version = await versionOf(file);
  const parsed = KeyFile.safeParse(jsonOf(await readFile(file, "utf8")));
  if (!parsed.success) throw new SealbookError("config_invalid", `${shown(file)} does not hold the issuer's keys`);
  const [{ public_key, private_key }] = parsed.data.keys;
  const signer = ed25519Signer(Buffer.from(private_key, "hex"));
  if (Buffer.from(signer.publicKey).toString("hex") !== public_key) {
    throw new SealbookError("config_invalid", `${shown(file)} has a public key that is not that of its private key`);
  }
  return { version, content: parsed.data, signer };
}

async function versionOf(file: string): Promise<string> {
  try {
    const { ino, size, mtimeNs } = await stat(file, { bigint: true });
    return `${ino} ${size} ${mtimeNs}`;
  } catch (error) {
    throw new SealbookError("config_invalid", `${shown(file)} cannot be read: put it back from a backup`, {
      cause: error,
    });
  }
}

/** Its place for messages, which strangers can come to see. */
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
