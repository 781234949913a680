import { Transaction } from "ethers";
import { NodeError } from "../rpc/rpc.ts";

const SUPPORTED = "A legacy, access list or fee market transaction (type 0, 1 or 2) is expected.";
const SUPPORTED_TYPES: readonly (number | null)[] = [0, 1, 2];

/** A signed transaction. */
export interface RawTransaction {
  /** `0x` hex. */
  readonly text: string;
  /** Recovers the address of the account that signed it, which takes a millisecond. */
  sender(): string;
}

/**
 * Reads a transaction. Rejects one that Anvil would accept into its pool although it can never be mined: Anvil accepts
 * a transaction that is signed for another chain and later drops it together with all later transactions of its sender.
 * @throws NodeError
 */
export function readRawTransaction(raw: unknown, chainId: number): RawTransaction {
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
  return {
    text: raw,
    sender() {
      const sender = orUndefined(() => transaction.from);
      if (typeof sender !== "string") throw undecodable();
      return sender;
    },
  };
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
