import { readFile } from "node:fs/promises";
import { computeAddress, decryptKeystoreJson, encryptKeystoreJson, getBytes, hexlify, isKeystoreJson } from "ethers";
import { reasonOf, SealbookError } from "../../errors.ts";
import { ownKey, type RelayerKey } from "./relayer-key.ts";

/**
 * Encrypts 32 secret bytes with a password: a keystore of version 3, the format of Ethereum clients, with scrypt. Its
 * address is that of the bytes as a key of the chain, and checks the decrypted bytes.
 */
export function encryptSecret(secret: Uint8Array, password: string): Promise<string> {
  const privateKey = hexlify(secret);
  return encryptKeystoreJson({ address: computeAddress(privateKey), privateKey }, password);
}

/**
 * Decrypts a keystore.
 * @throws when the password is wrong, or the text is not a keystore
 */
export async function decryptSecret(keystore: string, password: string): Promise<Uint8Array> {
  return getBytes((await decryptKeystoreJson(keystore, password)).privateKey);
}

/**
 * Reads a password. Editors and shells end a file with a newline, which is no part of the password.
 * @param variable Name of the variable with the file's path, for messages
 * @throws SealbookError `config_invalid`
 */
export async function readPassword(variable: string, file: string): Promise<string> {
  const password = (await readKeyFile(variable, file)).replace(/\r?\n$/, "");
  if (password === "") throw new SealbookError("config_invalid", `${variable}: ${file} is empty`);
  return password;
}

/**
 * Reads a file that a variable names.
 * @throws SealbookError `config_invalid`
 */
async function readKeyFile(variable: string, file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    throw new SealbookError("config_invalid", `${variable}: ${reasonOf(cause)}`, { cause });
  }
}

/** A keystore of version 3, the format of Ethereum clients, and the file with its password. */
export interface KeystoreFiles {
  readonly file: string;
  readonly passwordFile: string;
}

/** The variable with the path of a keystore's password. */
export const PASSWORD_VARIABLE = "RELAYER_KEYSTORE_PASSWORD_FILE";

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
