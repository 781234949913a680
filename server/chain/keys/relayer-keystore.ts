import { readFile } from "node:fs/promises";
import { decryptKeystoreJson, encryptKeystoreJson, isKeystoreJson, Wallet } from "ethers";
import type { Address } from "../transaction.ts";
import { SealbookError } from "../../errors.ts";
import { writeFileDurably } from "../../kit/durable-file.ts";
import { ownKey, type RelayerKey } from "./relayer-key.ts";

/** A keystore of version 3, the format of Ethereum clients, and the file with its password. */
export interface KeystoreFiles {
  readonly file: string;
  readonly passwordFile: string;
}

/** @throws SealbookError `config_invalid` when the password does not decrypt it; the message contains no secret */
export async function openKeystore({ file, passwordFile }: KeystoreFiles): Promise<RelayerKey> {
  const [keystore, password] = [await read("RELAYER_KEYSTORE_FILE", file), await readPassword(passwordFile)];
  if (!isKeystoreJson(keystore))
    throw new SealbookError("config_invalid", `RELAYER_KEYSTORE_FILE: ${file} is not a keystore of version 3`);
  try {
    return ownKey((await decryptKeystoreJson(keystore, password)).privateKey);
  } catch {
    throw new SealbookError("config_invalid", `RELAYER_KEYSTORE_PASSWORD_FILE: ${passwordFile} does not open ${file}`);
  }
}

/** Generates a key and writes it into a keystore; replaces the file. */
export async function makeKeystore({ file, passwordFile }: KeystoreFiles): Promise<Address> {
  const { address, privateKey } = Wallet.createRandom();
  const keystore = await encryptKeystoreJson({ address, privateKey }, await readPassword(passwordFile));
  await writeFileDurably(file, [Buffer.from(`${keystore}\n`)]);
  return address;
}

/** Editors and shells end a file with a newline, which is no part of the password. */
async function readPassword(file: string): Promise<string> {
  const password = (await read("RELAYER_KEYSTORE_PASSWORD_FILE", file)).replace(/\r?\n$/, "");
  if (password === "") throw new SealbookError("config_invalid", `RELAYER_KEYSTORE_PASSWORD_FILE: ${file} is empty`);
  return password;
}

async function read(variable: string, file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    throw new SealbookError(
      "config_invalid",
      `${variable}: ${cause instanceof Error ? cause.message : String(cause)}`,
      { cause },
    );
  }
}
