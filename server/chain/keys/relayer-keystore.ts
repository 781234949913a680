import { getBytes, hexlify, isKeystoreJson, Wallet } from "ethers";
import type { Address } from "../transaction.ts";
import { SealbookError } from "../../errors.ts";
import { writeFileDurably } from "../../kit/durable-file.ts";
import { decryptSecret, encryptSecret, readKeyFile, readPassword } from "./keystore.ts";
import { ownKey, type RelayerKey } from "./relayer-key.ts";

/** A keystore of version 3, the format of Ethereum clients, and the file with its password. */
export interface KeystoreFiles {
  readonly file: string;
  readonly passwordFile: string;
}

const PASSWORD_VARIABLE = "RELAYER_KEYSTORE_PASSWORD_FILE";

/** @throws SealbookError `config_invalid` when the password does not decrypt it; the message contains no secret */
export async function openKeystore({ file, passwordFile }: KeystoreFiles): Promise<RelayerKey> {
  const keystore = await readKeyFile("RELAYER_KEYSTORE_FILE", file);
  const password = await readPassword(PASSWORD_VARIABLE, passwordFile);
  if (!isKeystoreJson(keystore))
    throw new SealbookError("config_invalid", `RELAYER_KEYSTORE_FILE: ${file} is not a keystore of version 3`);
  try {
    return ownKey(hexlify(await decryptSecret(keystore, password)));
  } catch {
    throw new SealbookError("config_invalid", `${PASSWORD_VARIABLE}: ${passwordFile} does not open ${file}`);
  }
}

/** Generates a key and writes it into a keystore; replaces the file. */
export async function makeKeystore({ file, passwordFile }: KeystoreFiles): Promise<Address> {
  const { address, privateKey } = Wallet.createRandom();
  const keystore = await encryptSecret(getBytes(privateKey), await readPassword(PASSWORD_VARIABLE, passwordFile));
  await writeFileDurably(file, [Buffer.from(`${keystore}\n`)]);
  return address;
}
