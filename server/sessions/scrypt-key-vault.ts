import { availableParallelism } from "node:os";
import { type BinaryLike, randomBytes, scrypt as nodeScrypt } from "node:crypto";
import { type BaseWallet, decryptKeystoreJson, encryptKeystoreJson, getBytes, hexlify, scrypt, Wallet } from "ethers";
import type { KeyVault } from "./key-vault.ts";
import { KeyedQueue } from "../kit/keyed-queue.ts";

// The library's scrypt is JavaScript and would block the event loop.
scrypt.register((password, salt, N, r, p, length) => derive(password, salt, N, r, p, length));

/**
 * Each derivation uses 128 MiB, and one thread of the pool that file access shares: at most two, and one processor is
 * left to the thread that serves requests.
 */
const MAX_CONCURRENT_DERIVATIONS = Math.max(1, Math.min(2, availableParallelism() - 1));
/** Derivations that run or wait. One takes half a second: with more, callers would give up before theirs. */
const UNFINISHED_DERIVATIONS = { jobs: "logins", perKey: 16, all: 64 };
/** New accounts do not wait behind logins. */
const OWN = "accounts";

function derive(
  password: BinaryLike,
  salt: BinaryLike,
  N: number,
  r: number,
  p: number,
  length: number,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    nodeScrypt(password, salt, length, { N, r, p, maxmem: 256 * N * r }, (error, key) =>
      error === null ? resolve(key) : reject(error),
    );
  });
}

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
export function keyVault(rounds = ROUNDS): KeyVault {
  const decoy = decoyKeystore(rounds);
  const queue = new KeyedQueue<string>(MAX_CONCURRENT_DERIVATIONS, MAX_CONCURRENT_DERIVATIONS, UNFINISHED_DERIVATIONS);
  const unlock: KeyVault["unlock"] = (keystore, password, source) =>
    queue.run(source, async () => {
      try {
        const { privateKey } = await decryptKeystoreJson(keystore, password);
        return getBytes(privateKey);
      } catch {
        return undefined;
      }
    });
  return {
    async create(password) {
      const wallet = Wallet.createRandom();
      const keystore = await queue.run(OWN, () => encryptKeystore(wallet, password, rounds));
      return { address: wallet.address, keystore, signingKey: getBytes(wallet.privateKey) };
    },
    encrypt: (signingKey, password) =>
      queue.run(OWN, () => encryptKeystore(new Wallet(hexlify(signingKey)), password, rounds)),
    unlock,
    async unlockDecoy(password, source) {
      await unlock(decoy, password, source);
    },
  };
}
