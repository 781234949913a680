import { type BinaryLike, randomBytes, scrypt as nodeScrypt } from "node:crypto";
import { decryptKeystoreJson, encryptKeystoreJson, getBytes, scrypt, Wallet } from "ethers";
import type { KeyVault } from "./key-vault.ts";
import { SealbookError } from "../errors.ts";
import { semaphore } from "../kit/semaphore.ts";

// The library's own scrypt is written in JavaScript and would hold up every other request while it runs.
scrypt.register(async (password, salt, N, r, p, length) => inTurn(() => derive(password, salt, N, r, p, length)));

/** Each derivation takes 128 MiB and one of the few threads that file access shares. */
const DERIVATIONS_AT_ONCE = 2;
const DERIVATIONS_WAITING = 64;
const inTurn = semaphore(DERIVATIONS_AT_ONCE, DERIVATIONS_WAITING);

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

/** How often a derivation mixes its memory: scrypt's N. A guess of a password costs 128 MiB and about half a second. */
const ROUNDS = 2 ** 17;

async function createKeystore(password: string, N: number): ReturnType<KeyVault["create"]> {
  const wallet = Wallet.createRandom();
  const keystore = await encryptKeystoreJson({ address: wallet.address, privateKey: wallet.privateKey }, password, {
    scrypt: { N, r: 8, p: 1 },
  });
  return { address: wallet.address, keystore, signingKey: getBytes(wallet.privateKey) };
}

/** A keystore that no password opens, and that costs as much to try as anybody's. */
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
 * Opens keystores; what it opens never leaves the process.
 * @param rounds Of the keystores that it makes: fewer only where passwords protect nothing
 */
export function keyVault(rounds = ROUNDS): KeyVault {
  const decoy = decoyKeystore(rounds);
  const unlock = async (keystore: string, password: string): Promise<Uint8Array | undefined> => {
    try {
      const { privateKey } = await decryptKeystoreJson(keystore, password);
      return getBytes(privateKey);
    } catch (error) {
      // A wrong password is an answer; having no time for it is none.
      if (error instanceof SealbookError) throw error;
      return undefined;
    }
  };
  return {
    create: (password) => createKeystore(password, rounds),
    unlock,
    async unlockNothing(password) {
      await unlock(decoy, password);
    },
  };
}
