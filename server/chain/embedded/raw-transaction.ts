import { Transaction } from "ethers";
import { NodeError } from "../rpc/rpc.ts";

const SUPPORTED = "A legacy, access list or fee market transaction (type 0, 1 or 2) is expected.";
const SUPPORTED_TYPES: readonly (number | null)[] = [0, 1, 2];

/** A transaction that was sent over the port. */
export interface OutsideTransaction {
  readonly raw: string;
  readonly hash: string;
  /** The account that signed it. */
  readonly sender: string;
  readonly nonce: number;
  /** Its gas limit. */
  readonly gas: number;
}

/**
 * Reads a transaction from outside and recovers its sender, which takes a millisecond.
 * @throws NodeError as {@link checkRawTransaction}
 */
export function readRawTransaction(raw: unknown, chainId: number): OutsideTransaction {
  const { raw: text, transaction } = checkRawTransaction(raw, chainId);
  const { hash, nonce } = transaction;
  const sender = orUndefined(() => transaction.from);
  if (typeof sender !== "string" || hash === null) throw undecodable();
  return { raw: text, hash, sender, nonce, gas: Number(transaction.gasLimit) };
}

/**
 * Rejects a transaction that Anvil would accept into its pool although it can never be mined: Anvil accepts a
 * transaction that is signed for another chain and later drops it together with all later transactions of its sender.
 * @throws NodeError
 */
export function checkRawTransaction(
  raw: unknown,
  chainId: number,
): { readonly raw: string; readonly transaction: Transaction } {
  if (typeof raw !== "string" || raw.length % 2 !== 0 || !/^0x[0-9a-fA-F]+$/.test(raw)) {
    throw new NodeError("The transaction must be a hex string that begins with 0x.", -32602, undefined);
  }
  const transaction = parse(raw);
  // A legacy transaction without a chain id is valid on every chain.
  const isForAnyChain = transaction.type === 0 && transaction.chainId === 0n;
  if (!isForAnyChain && transaction.chainId !== BigInt(chainId)) {
    throw new NodeError(
      `The transaction is signed for chain id ${transaction.chainId}, but this chain has the id ${chainId}.`,
      -32000,
      undefined,
    );
  }
  return { raw, transaction };
}

function parse(raw: string): Transaction {
  const transaction = orUndefined(() => Transaction.from(raw));
  if (transaction?.signature == null || !SUPPORTED_TYPES.includes(transaction.type)) throw undecodable();
  return transaction;
}

/** The library throws for malformed fields of any kind. */
function orUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function undecodable(): NodeError {
  return new NodeError(`The transaction cannot be decoded. ${SUPPORTED}`, -32602, undefined);
}
