import { type BinaryLike, randomBytes, scrypt as nodeScrypt } from "node:crypto";
import { decryptKeystoreJson, encryptKeystoreJson, getBytes, scrypt, Wallet } from "ethers";
import type { KeyVault } from "./key-vault.ts";
import { SealbookError } from "../errors.ts";
import { semaphore } from "../kit/semaphore.ts";

// The library's scrypt is JavaScript and would block the event loop.
scrypt.register(async (password, salt, N, r, p, length) => limited(() => derive(password, salt, N, r, p, length)));

/** Each derivation uses 128 MiB and one thread of the pool that file access shares. */
const MAX_CONCURRENT_DERIVATIONS = 2;
const MAX_QUEUED_DERIVATIONS = 64;
const limited = semaphore(MAX_CONCURRENT_DERIVATIONS, MAX_QUEUED_DERIVATIONS);

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

async function createKeystore(password: string, N: number): ReturnType<KeyVault["create"]> {
  const wallet = Wallet.createRandom();
  const keystore = await encryptKeystoreJson({ address: wallet.address, privateKey: wallet.privateKey }, password, {
    scrypt: { N, r: 8, p: 1 },
  });
  return { address: wallet.address, keystore, signingKey: getBytes(wallet.privateKey) };
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
  const unlock = async (keystore: string, password: string): Promise<Uint8Array | undefined> => {
    try {
      const { privateKey } = await decryptKeystoreJson(keystore, password);
      return getBytes(privateKey);
    } catch (error) {
      // A full queue is an error; a wrong password is a result.
      if (error instanceof SealbookError) throw error;
      return undefined;
    }
  };
  return {
    create: (password) => createKeystore(password, rounds),
    unlock,
    async unlockDecoy(password) {
      await unlock(decoy, password);
    },
  };
}
