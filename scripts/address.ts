import { getAddress, isAddress } from "ethers";
import type { Address } from "../server/chain/transaction.ts";
import { malformed } from "../server/errors.ts";

/**
 * Parses a blockchain address.
 * @param name What the error calls it
 * @throws SealbookError `malformed`
 */
export function parseAddress(name: string, text: string): Address {
  if (!/^0x[0-9a-f]{40}$/i.test(text)) {
    throw malformed(name, `"${text}" is not a blockchain address: 0x and 40 hexadecimal digits`);
  }
  // Roles granted to a mistyped address are missing for the intended relayer and may belong to a third party.
  if (!isAddress(text)) throw malformed(name, `"${text}" has a wrong checksum: a digit or its case was mistyped`);
  return getAddress(text);
}
