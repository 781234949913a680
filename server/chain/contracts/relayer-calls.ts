import { hexlify, type Interface } from "ethers";
import type { ContractAddresses, ContractName, QueuedTransaction, TransactionPurpose } from "../transaction.ts";
import { INTERFACES } from "./interfaces.ts";

/** Length of `0x` and a selector in hex. */
const SELECTOR_TEXT = 10;

/** The functions that the relayer calls, by purpose. A filler is signed when its nonce is, and never waits. */
const CALLS: Readonly<Record<TransactionPurpose, readonly [ContractName, ...functions: string[]] | undefined>> = {
  session_open: ["SessionRegistry", "open"],
  session_validate: ["SessionRegistry", "validate"],
  session_extend: ["SessionRegistry", "extend"],
  session_close: ["SessionRegistry", "close"],
  record: ["EventTable", "set", "insert"],
  anchor: ["ProofAnchor", "anchor", "anchorBatch"],
  nonce_filler: undefined,
};

/**
 * Checks that a waiting intent is one of the relayer's own calls. Whoever can write to the database could else have any
 * transaction signed.
 * @returns why it is not; `undefined` for a call of the relayer
 */
export function foreignCallReason(
  addresses: ContractAddresses,
  { purpose, to, data }: Pick<QueuedTransaction, "purpose" | "to" | "data">,
): string | undefined {
  const [contract, ...functions] = CALLS[purpose] ?? [];
  if (contract === undefined) return `the relayer has no calls with the purpose ${purpose}`;
  if (to.toLowerCase() !== addresses[contract].toLowerCase()) return `${to} is not the address of ${contract}`;
  const abi: Interface = INTERFACES[contract];
  const input = hexlify(data);
  const called = nameOf(abi, input);
  return called !== undefined && functions.includes(called)
    ? undefined
    : `${input.slice(0, SELECTOR_TEXT)} is no call of ${contract} that the relayer makes for the purpose ${purpose}`;
}

/** Returns the name of the called function; `undefined` for data that the contract does not decode. */
function nameOf(abi: Interface, data: string): string | undefined {
  try {
    return abi.parseTransaction({ data })?.name;
  } catch {
    return undefined;
  }
}
