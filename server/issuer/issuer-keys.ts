import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { decryptSecret, encryptSecret } from "../chain/keys/keystore.ts";
import { SealbookError } from "../errors.ts";
import { hex } from "../kit/bytes.ts";
import type { IssuerKeyStore, JournaledKey } from "./issuer-key-store.ts";
import {
  type CurrentKey,
  type KeyFile,
  readKeyFile,
  type RetiredKey,
  shown,
  versionOf,
  writeKeyFile,
} from "./key-file.ts";
import { keyIdOf, newPrivateKey, type SigningKey, signingKey } from "./signing-key.ts";

const PASSWORD_VARIABLE = "ISSUER_KEY_PASSWORD_FILE";

/** A public key of the issuer. */
export interface IssuerKey {
  /** The uncompressed point on P-256: 65 bytes. */
  readonly publicKey: Uint8Array;
  /** ISO 8601. */
  readonly createdAt: string;
  /** ISO 8601; `undefined` for the current key. */
  readonly retiredAt: string | undefined;
}

interface Loaded {
  readonly version: string;
  readonly content: KeyFile;
  readonly key: SigningKey;
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
  return publicKeys(await readKeyFile(file));
}

/**
 * The signing keys of this installation, in a file that only its owner can read. Reloads the file after changes, so
 * that a running server uses a rotated key.
 *
 * A key is in the journal before its first signature, and with the journal in its replicas: its public key, and its
 * private key when a password encrypts it. A lost file is created again from there.
 */
export class IssuerKeys {
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
      await writeKeyFile(file, await firstKeys((await journal?.list()) ?? [], deps));
    }
    const loaded = await load(file, password);
    const [current, ...retired] = loaded.content.keys;
    if (password === undefined || "keystore" in current) return new IssuerKeys(file, deps, loaded);
    const { private_key, ...parts } = current;
    await writeKeyFile(file, {
      keys: [{ ...parts, keystore: await encryptSecret(bytesOf(private_key), password) }, ...retired],
    });
    return new IssuerKeys(file, deps, await load(file, password));
  }

  /** Returns the current key. */
  async signingKey(): Promise<SigningKey> {
    const loaded = await this.#current();
    await this.#journal(loaded);
    return loaded.key;
  }

  /** Returns all current and retired keys, the newest first. */
  async list(): Promise<readonly IssuerKey[]> {
    // Not those of the journal: whoever can write to the database could publish a key as the issuer's.
    return publicKeys((await this.#current()).content);
  }

  /** Creates the new signing key and deletes the previous private key. The previous public key remains published. */
  async rotate(): Promise<void> {
    const [{ created_at, public_key }, ...retired] = (await this.#current()).content.keys;
    const key = await newKey(this.#deps.password);
    await writeKeyFile(this.#file, { keys: [key, { created_at, public_key, retired_at: key.created_at }, ...retired] });
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
    if (locked !== undefined) onLocked?.(keyIdOf(locked.publicKey));
    return { keys: [await newKey(password), ...retiredOf(known)] };
  }
  const { keystore } = locked;
  const current = { ...publicParts(locked), keystore };
  await privateKeyOf(current, password);
  return { keys: [current, ...retiredOf(known.filter((key) => key !== locked))] };
}

/** A key of the journal ends when the next one begins; the newest ends now. */
function retiredOf(keys: readonly JournaledKey[]): RetiredKey[] {
  return keys.map((key, index) => ({
    ...publicParts(key),
    retired_at: new Date(keys[index - 1]?.createdAt ?? Date.now()).toISOString(),
  }));
}

function publicParts({ publicKey, createdAt }: JournaledKey): Pick<RetiredKey, "created_at" | "public_key"> {
  return { created_at: new Date(createdAt).toISOString(), public_key: hex(publicKey) };
}

function publicKeys({ keys }: KeyFile): IssuerKey[] {
  return keys.map((key) => ({
    publicKey: bytesOf(key.public_key),
    createdAt: key.created_at,
    retiredAt: "retired_at" in key ? key.retired_at : undefined,
  }));
}

async function newKey(password: string | undefined): Promise<CurrentKey> {
  const secret = newPrivateKey();
  const parts = publicParts({ publicKey: signingKey(secret).publicKey, createdAt: Date.now(), keystore: undefined });
  return password === undefined
    ? { ...parts, private_key: hex(secret) }
    : { ...parts, keystore: await encryptSecret(secret, password) };
}

async function load(file: string, password: string | undefined): Promise<Loaded> {
  // Reads the version before the content, so that a replacement in between triggers another reload.
  const version = await versionOf(file);
  const content = await readKeyFile(file);
  const [current] = content.keys;
  const key = keyOf(await privateKeyOf(current, password));
  if (key === undefined || hex(key.publicKey) !== current.public_key)
    throw new SealbookError("config_invalid", `${shown(file)} has a public key that does not match its private key`);
  return { version, content, key };
}

/** Returns `undefined` for a number outside the curve's range. */
function keyOf(privateKey: Uint8Array): SigningKey | undefined {
  try {
    return signingKey(privateKey);
  } catch {
    return undefined;
  }
}

async function privateKeyOf(key: CurrentKey, password: string | undefined): Promise<Uint8Array> {
  if ("private_key" in key) return bytesOf(key.private_key);
  if (password === undefined)
    throw new SealbookError("config_invalid", `the issuer's key is encrypted; set ${PASSWORD_VARIABLE}`);
  try {
    return await decryptSecret(key.keystore, password);
  } catch (cause) {
    throw new SealbookError("config_invalid", `${PASSWORD_VARIABLE} does not decrypt the issuer's key`, { cause });
  }
}

function bytesOf(digits: string): Uint8Array {
  return Buffer.from(digits, "hex");
}
