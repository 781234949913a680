import { getBytes, Wallet } from "ethers";
import {
  encryptSecret,
  type KeystoreFiles,
  PASSWORD_VARIABLE,
  readPassword,
} from "../../server/chain/keys/keystore.ts";
import type { Address } from "../../server/chain/transaction.ts";
import { writeFileDurably } from "../../server/kit/durable-file.ts";

/** Generates a key and writes it into a keystore; replaces the file. */
export async function makeKeystore({ file, passwordFile }: KeystoreFiles): Promise<Address> {
  const { address, privateKey } = Wallet.createRandom();
  const keystore = await encryptSecret(getBytes(privateKey), await readPassword(PASSWORD_VARIABLE, passwordFile));
  await writeFileDurably(file, [Buffer.from(`${keystore}\n`)]);
  return address;
}
