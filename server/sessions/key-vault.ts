import { type BinaryLike, hkdfSync, randomBytes, scrypt as nodeScrypt, type ScryptOptions } from "node:crypto";
import { promisify } from "node:util";
import { availableParallelism } from "node:os";
import { type BaseWallet, decryptKeystoreJson, encryptKeystoreJson, getBytes, hexlify, scrypt, Wallet } from "ethers";
import type { Address } from "../chain/transaction.ts";
import { decrypt, encrypt } from "../kit/aes-gcm.ts";
import { KeyedQueue } from "../kit/keyed-queue.ts";

/**
 * Encryption of a session's keys at rest: the account's signing key under the session's secure key, the secure key
 * under the token. Only the client has the token; chain and journal store its hash.
 */

/** The keys that a token decrypts. */
export interface SessionKeys {
  readonly secureKey: Uint8Array;
  readonly signingKey: Uint8Array;
}

/** {@link SessionKeys} in encrypted form. */
interface EncryptedKeys {
  readonly wrappedSecureKey: Uint8Array;
  readonly encryptedSigningKey: Uint8Array;
}

/** Encrypts the keys of a new session. */
export function encryptKeys(token: Uint8Array, keys: SessionKeys): EncryptedKeys {
  return {
    wrappedSecureKey: wrapSecureKey(token, keys.secureKey),
    encryptedSigningKey: encrypt(keys.secureKey, keys.signingKey),
  };
}

/** Encrypts the secure key under a token. */
export function wrapSecureKey(token: Uint8Array, secureKey: Uint8Array): Uint8Array {
  return encrypt(keyOf(token), secureKey);
}

/** Decrypts the keys with the token of their session. Throws if the token or the data differ. */
export function decryptKeys(token: Uint8Array, encrypted: EncryptedKeys): SessionKeys {
  const secureKey = decrypt(keyOf(token), encrypted.wrappedSecureKey);
  return { secureKey, signingKey: decrypt(secureKey, encrypted.encryptedSigningKey) };
}

function keyOf(token: Uint8Array): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", token, "", "sealbook session secure key", 32));
}

const derive = promisify<BinaryLike, BinaryLike, number, ScryptOptions, Buffer>(nodeScrypt);
// The library's scrypt is JavaScript and would block the event loop.
scrypt.register((password, salt, N, r, p, length) => derive(password, salt, length, { N, r, p, maxmem: 256 * N * r }));

/**
 * Each derivation uses 128 MiB, and one thread of the pool that file access shares: at most two, and one processor is
 * left to the thread that serves requests.
 */
const MAX_CONCURRENT_DERIVATIONS = Math.max(1, Math.min(2, availableParallelism() - 1));
/** Derivations that run or wait. One takes half a second: with more, callers would give up before theirs. */
const UNFINISHED_DERIVATIONS = { jobs: "logins", perKey: 16, all: 64 };
/** New accounts do not wait behind logins. */
const OWN = "accounts";

/** scrypt's N. A password guess costs 128 MiB and about half a second. */
const ROUNDS = 2 ** 17;

function encryptKeystore(wallet: BaseWallet, password: string, N: number): Promise<string> {
  return encryptKeystoreJson({ address: wallet.address, privateKey: wallet.privateKey }, password, {
    scrypt: { N, r: 8, p: 1 },
  });
}

/** Creates a keystore that no password decrypts and that costs as much to try as a real one. */
function decoyKeystore(n: number): string {
  const random = (bytes: number): string => randomBytes(bytes).toString("hex");
  return JSON.stringify({
    version: 3,
    id: crypto.randomUUID(),
    address: random(20),
    Crypto: {
      cipher: "aes-128-ctr",
      cipherparams: { iv: random(16) },
      ciphertext: random(32),
      kdf: "scrypt",
      kdfparams: { salt: random(32), n, r: 8, p: 1, dklen: 32 },
      mac: random(32),
    },
  });
}

/**
 * Creates and decrypts keystores. Decrypted keys never leave the process.
 * @param rounds scrypt's N for new keystores; lower only where passwords protect nothing
 */
export function keyVault(rounds = ROUNDS) {
  const decoy = decoyKeystore(rounds);
  const queue = new KeyedQueue<string>(MAX_CONCURRENT_DERIVATIONS, MAX_CONCURRENT_DERIVATIONS, UNFINISHED_DERIVATIONS);
  /**
   * Decrypts a keystore; returns `undefined` for a wrong password. Takes the same time for right and wrong passwords.
   * @param source The caller; callers are scheduled round-robin
   * @throws SealbookError `overloaded` when too many callers wait
   */
  const unlock = (keystore: string, password: string, source: string): Promise<Uint8Array | undefined> =>
    queue.run(source, async () => {
      try {
        const { privateKey } = await decryptKeystoreJson(keystore, password);
        return getBytes(privateKey);
      } catch {
        return undefined;
      }
    });
  return {
    /** Generates a signing key and its keystore. */
    async create(password: string): Promise<{ address: Address; keystore: string; signingKey: Uint8Array }> {
      const wallet = Wallet.createRandom();
      const keystore = await queue.run(OWN, () => encryptKeystore(wallet, password, rounds));
      return { address: wallet.address, keystore, signingKey: getBytes(wallet.privateKey) };
    },
    /** Encrypts a signing key with another password. */
    encrypt: (signingKey: Uint8Array, password: string): Promise<string> =>
      queue.run(OWN, () => encryptKeystore(new Wallet(hexlify(signingKey)), password, rounds)),
    unlock,
    /** Takes the same time as `unlock`, for logins that do not exist. */
    async unlockDecoy(password: string, source: string): Promise<void> {
      await unlock(decoy, password, source);
    },
  };
}

export type KeyVault = ReturnType<typeof keyVault>;
