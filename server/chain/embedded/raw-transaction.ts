import { decodeRlp, getBytes, toBigInt } from "ethers";
import { NodeError } from "../rpc/rpc.ts";

const SUPPORTED = "A legacy, access list or fee market transaction (type 0, 1 or 2) is expected.";

/**
 * Rejects a transaction that Anvil would accept into its pool although it can never be mined: Anvil accepts a
 * transaction that is signed for another chain and later drops it together with all later transactions of its sender.
 */
export function checkRawTransaction(raw: unknown, chainId: number): string {
  if (typeof raw !== "string" || raw.length % 2 !== 0 || !/^0x[0-9a-fA-F]+$/.test(raw))
    throw new NodeError("The transaction must be a hex string that begins with 0x.", -32602, undefined);
  const signedFor = chainIdOf(getBytes(raw));
  if (signedFor !== null && signedFor !== BigInt(chainId)) {
    throw new NodeError(
      `The transaction is signed for chain id ${signedFor}, but this chain has the id ${chainId}.`,
      -32000,
      undefined,
    );
  }
  return raw;
}

/** Returns the chain id; null for a legacy transaction that is valid on every chain. */
function chainIdOf(bytes: Uint8Array): bigint | null {
  const type = bytes[0] ?? 0;
  if (type === 1 || type === 2) return number(field(bytes.subarray(1), 0));
  if (type < 0xc0) throw new NodeError(SUPPORTED, -32602, undefined);
  const v = number(field(bytes, 6));
  return v < 35n ? null : (v - 35n) / 2n;
}

function field(bytes: Uint8Array, index: number): string {
  let fields: unknown;
  try {
    fields = decodeRlp(bytes);
  } catch {
    // The error is returned below.
  }
  const value: unknown = Array.isArray(fields) ? fields[index] : undefined;
  if (typeof value !== "string")
    throw new NodeError(`The transaction cannot be decoded. ${SUPPORTED}`, -32602, undefined);
  return value;
}

function number(hex: string): bigint {
  return hex === "0x" ? 0n : toBigInt(hex);
}
