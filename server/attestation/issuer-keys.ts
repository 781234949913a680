import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { ed25519Signer } from "./ed25519-signer.ts";
import type { Issuer, IssuerKey, IssuerSigner } from "./issuer.ts";
import type { IssuerKeyStore, JournaledKey } from "./issuer-key-store.ts";
import { deriveStatementKey, statementKeyId } from "./statement-key.ts";
import { decryptSecret, encryptSecret } from "../chain/keys/keystore.ts";
import { SealbookError } from "../errors.ts";
import { writeFileDurably } from "../kit/durable-file.ts";
import { hex } from "../kit/hex.ts";

const SECRET_LENGTH = 32;
const PASSWORD_VARIABLE = "ISSUER_KEY_PASSWORD_FILE";

const hexBytes = (length: number) => z.string().regex(new RegExp(`^[0-9a-f]{${2 * length}}$`));

const publicParts = { created_at: z.iso.datetime(), public_key: hexBytes(32), statement_key: hexBytes(65) };
const CurrentKey = z.union([
  z.strictObject({ ...publicParts, private_key: hexBytes(SECRET_LENGTH) }),
  z.strictObject({ ...publicParts, keystore: z.string() }),
]);
const RetiredKey = z.strictObject({ ...publicParts, retired_at: z.iso.datetime() });

/** Newest first. Only the newest key has a private key; the others have their time of retirement. */
const KeyFile = z.object({ keys: z.tuple([CurrentKey], RetiredKey) });

type KeyFile = z.output<typeof KeyFile>;
type CurrentKey = z.output<typeof CurrentKey>;
type RetiredKey = z.output<typeof RetiredKey>;

interface Loaded {
  /** Identifies the version of the file by its metadata. */
  readonly version: string;
  readonly content: KeyFile;
  readonly signer: IssuerSigner;
}

/** Dependencies of the keys. */
export interface IssuerKeysDeps {
  /** Encrypts the private key; without it the private key is stored as it is. */
  readonly password?: string | undefined;
  /** The keys in the journal; without it the file alone counts. */
  readonly journal?: IssuerKeyStore;
  /** Called when the journal has an encrypted key that cannot be used without a password, with the key's id. */
  readonly onLocked?: (keyId: string) => void;
}

/** Returns the path of the key file in a data folder. */
export function issuerKeysFile(dataDirectory: string): string {
  return join(dataDirectory, "issuer-keys.json");
}

/**
 * Reads the public keys of a file; needs no password.
 * @throws SealbookError `config_invalid` if the file does not contain keys
 */
export async function readIssuerKeys(file: string): Promise<readonly IssuerKey[]> {
  return publicKeys(await readKeys(file));
}

/**
 * The signing keys of this installation, in a file that only its owner can read. Reloads the file after changes, so
 * that a running server uses a rotated key.
 *
 * A key is in the journal before its first signature, and with the journal in its replicas: its public parts, and its
 * private key when a password encrypts it. A lost file is created again from there.
 */
export class IssuerKeys implements Issuer {
  readonly #file: string;
  readonly #deps: IssuerKeysDeps;
  #loaded: Loaded;
  /** The write of the current key to the journal. */
  #journaled: { readonly version: string; readonly done: Promise<void> } | undefined;

  private constructor(file: string, deps: IssuerKeysDeps, loaded: Loaded) {
    this.#file = file;
    this.#deps = deps;
    this.#loaded = loaded;
  }

  /**
   * Reads the file. Creates it if it does not exist: with the keys of the journal, or with a first key. Encrypts its
   * private key if there is a password.
   * @throws SealbookError `config_invalid` if the file does not contain keys, or the password does not decrypt them
   */
  static async open(file: string, deps: IssuerKeysDeps = {}): Promise<IssuerKeys> {
    const { password, journal } = deps;
    if (!existsSync(file)) {
      await mkdir(dirname(file), { recursive: true });
      await write(file, await firstKeys((await journal?.list()) ?? [], deps));
    }
    const loaded = await load(file, password);
    const [current, ...retired] = loaded.content.keys;
    if (password === undefined || "keystore" in current) return new IssuerKeys(file, deps, loaded);
    const { private_key, ...parts } = current;
    await write(file, {
      keys: [{ ...parts, keystore: await encryptSecret(bytesOf(private_key), password) }, ...retired],
    });
    return new IssuerKeys(file, deps, await load(file, password));
  }

  async signer(): Promise<IssuerSigner> {
    const loaded = await this.#current();
    await this.#journal(loaded);
    return loaded.signer;
  }

  async keys(): Promise<readonly IssuerKey[]> {
    // Not those of the journal: whoever can write to the database could publish a key as the issuer's.
    return publicKeys((await this.#current()).content);
  }

  /** Creates the new signing key and deletes the previous private key. The previous public key remains published. */
  async rotate(): Promise<void> {
    const [{ created_at, public_key, statement_key }, ...retired] = (await this.#current()).content.keys;
    const key = await newKey(this.#deps.password);
    const last = { created_at, public_key, statement_key, retired_at: key.created_at };
    await write(this.#file, { keys: [key, last, ...retired] });
  }

  async #current(): Promise<Loaded> {
    if ((await versionOf(this.#file)) !== this.#loaded.version)
      this.#loaded = await load(this.#file, this.#deps.password);
    return this.#loaded;
  }

  /** Writes the current key to the journal, once. */
  async #journal({ version, content }: Loaded): Promise<void> {
    const { journal } = this.#deps;
    if (journal === undefined) return;
    if (this.#journaled?.version !== version) {
      const [current] = content.keys;
      const done = journal.add({
        publicKey: bytesOf(current.public_key),
        statementKey: bytesOf(current.statement_key),
        keystore: "keystore" in current ? current.keystore : undefined,
        createdAt: Date.parse(current.created_at),
      });
      this.#journaled = { version, done };
    }
    const { done } = this.#journaled;
    await done.catch((error: unknown) => {
      if (this.#journaled?.done === done) this.#journaled = undefined;
      throw error;
    });
  }
}

/** Returns the content of a new file. The newest key with a keystore signs again; without one there is a new key. */
async function firstKeys(known: readonly JournaledKey[], { password, onLocked }: IssuerKeysDeps): Promise<KeyFile> {
  const locked = known.find(({ keystore }) => keystore !== undefined);
  if (locked?.keystore === undefined || password === undefined) {
    if (locked !== undefined) onLocked?.(statementKeyId(locked.statementKey));
    return { keys: [await newKey(password), ...retiredOf(known).map(toRetired)] };
  }
  const others = known.filter((key) => key !== locked);
  const { publicKey, statementKey, keystore, createdAt } = locked;
  const current = {
    created_at: new Date(createdAt).toISOString(),
    public_key: hex(publicKey),
    statement_key: hex(statementKey),
    keystore,
  };
  await unlock(current, password);
  return { keys: [current, ...retiredOf(others).map(toRetired)] };
}

/** A key of the journal ends when the next one begins; the newest ends now. */
function retiredOf(keys: readonly JournaledKey[]): (IssuerKey & { readonly retiredAt: string })[] {
  return keys.map(({ publicKey, statementKey, createdAt }, index) => ({
    publicKey,
    statementKey,
    createdAt: new Date(createdAt).toISOString(),
    retiredAt: new Date(keys[index - 1]?.createdAt ?? Date.now()).toISOString(),
  }));
}

function toRetired({
  publicKey,
  statementKey,
  createdAt,
  retiredAt,
}: ReturnType<typeof retiredOf>[number]): RetiredKey {
  return {
    created_at: createdAt,
    public_key: hex(publicKey),
    statement_key: hex(statementKey),
    retired_at: retiredAt,
  };
}

function publicKeys({ keys: [newest, ...retired] }: KeyFile): IssuerKey[] {
  const parts = ({ public_key, statement_key, created_at }: CurrentKey | RetiredKey) => ({
    publicKey: bytesOf(public_key),
    statementKey: bytesOf(statement_key),
    createdAt: created_at,
  });
  return [
    { ...parts(newest), retiredAt: undefined },
    ...retired.map((key) => ({ ...parts(key), retiredAt: key.retired_at })),
  ];
}

async function newKey(password: string | undefined): Promise<CurrentKey> {
  const secret = randomBytes(SECRET_LENGTH);
  const { publicKey, statementKey } = signerOf(secret);
  const parts = {
    created_at: new Date().toISOString(),
    public_key: hex(publicKey),
    statement_key: hex(statementKey.publicKey),
  };
  return password === undefined
    ? { ...parts, private_key: hex(secret) }
    : { ...parts, keystore: await encryptSecret(secret, password) };
}

function signerOf(secret: Uint8Array): IssuerSigner {
  return { ...ed25519Signer(secret), statementKey: deriveStatementKey(secret) };
}

async function write(file: string, content: KeyFile): Promise<void> {
  await writeFileDurably(file, [Buffer.from(`${JSON.stringify(content, null, 2)}\n`)]);
}

async function load(file: string, password: string | undefined): Promise<Loaded> {
  // Reads the version before the content, so that a replacement in between triggers another reload.
  const version = await versionOf(file);
  const content = await readKeys(file);
  const [current] = content.keys;
  const signer = signerOf(await unlock(current, password));
  if (hex(signer.publicKey) !== current.public_key || hex(signer.statementKey.publicKey) !== current.statement_key) {
    throw new SealbookError("config_invalid", `${shown(file)} has a public key that does not match its private key`);
  }
  return { version, content, signer };
}

/** Returns the private key. */
async function unlock(key: CurrentKey, password: string | undefined): Promise<Uint8Array> {
  if ("private_key" in key) return bytesOf(key.private_key);
  if (password === undefined)
    throw new SealbookError("config_invalid", `the issuer's key is encrypted; set ${PASSWORD_VARIABLE}`);
  try {
    return await decryptSecret(key.keystore, password);
  } catch (cause) {
    throw new SealbookError("config_invalid", `${PASSWORD_VARIABLE} does not decrypt the issuer's key`, { cause });
  }
}

async function readKeys(file: string): Promise<KeyFile> {
  const parsed = KeyFile.safeParse(jsonOf(await readFile(file, "utf8")));
  if (!parsed.success) throw new SealbookError("config_invalid", `${shown(file)} does not contain the issuer's keys`);
  return parsed.data;
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

function bytesOf(digits: string): Uint8Array {
  return Buffer.from(digits, "hex");
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
