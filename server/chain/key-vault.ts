import { type BinaryLike, randomBytes, scrypt as nodeScrypt } from "node:crypto";
import { decryptKeystoreJson, encryptKeystoreJson, getBytes, scrypt, Wallet } from "ethers";
import type { KeyVault } from "../domain/ports.ts";
import { SealbookError } from "../errors.ts";
import { turns } from "./turns.ts";

// The library's own scrypt is written in JavaScript and would hold up every other request while it runs.
scrypt.register(async (password, salt, N, r, p, length) => inTurn(() => derive(password, salt, N, r, p, length)));

/** Each derivation takes 128 MiB and one of the few threads that file access shares. */
const DERIVATIONS_AT_ONCE = 2;
const DERIVATIONS_WAITING = 64;
const inTurn = turns(DERIVATIONS_AT_ONCE, DERIVATIONS_WAITING);

function derive(password: BinaryLike, salt: BinaryLike, N: number, r: number, p: number, length: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    nodeScrypt(password, salt, length, { N, r, p, maxmem: 256 * N * r }, (error, key) =>
      error === null ? resolve(key) : reject(error),
    );
  });
}

/** What a derivation costs: also the keystore that is nobody's has to cost it. */
const COST = { N: 2 ** 17, r: 8, p: 1 };

async function createKeystore(password: string): ReturnType<KeyVault["create"]> {
  const wallet = Wallet.createRandom();
  const keystore = await encryptKeystoreJson({ address: wallet.address, privateKey: wallet.privateKey }, password, { scrypt: COST });
  return { address: wallet.address, keystore, signingKey: getBytes(wallet.privateKey) };
}

/** A keystore that no password opens. */
function decoyKeystore(): string {
  const random = (bytes: number): string => randomBytes(bytes).toString("hex");
  const { N: n, r, p } = COST;
  return JSON.stringify({
    version: 3,
    id: crypto.randomUUID(),
    address: random(20),
    Crypto: {
      cipher: "aes-128-ctr",
      cipherparams: { iv: random(16) },
      ciphertext: random(32),
      kdf: "scrypt",
      kdfparams: { salt: random(32), n, r, p, dklen: 32 },
      mac: random(32),
    },
  });
}

/** Opens keystores; what it opens never leaves the process. */
export function keyVault(): KeyVault {
  const decoy = decoyKeystore();
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
    create: createKeystore,
    unlock,
    async unlockNothing(password) {
      await unlock(decoy, password);
    },
  };
}
