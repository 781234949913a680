import { equalBytes, hex } from "../../kit/bytes.ts";
import type { JournalKey } from "../integrity/journal-key.ts";
import type { TransactionRow } from "../engine/schema.ts";

/** The facts of a call that is to be signed. */
type Call = Pick<TransactionRow, "id" | "purpose" | "to_address" | "data">;

/** Computes the authentication code of a call: it counts for one row only. */
export function codeOfCall(key: JournalKey, { id, purpose, to_address: to, data }: Call): Uint8Array {
  return key.codeOfFacts("call", [id, purpose, to, data === null ? null : hex(data)]);
}

/** Returns whether a relayer has written a call; without a key it is taken as it is. */
export function isCallOf(key: JournalKey | undefined, { code, ...call }: Call & Pick<TransactionRow, "code">): boolean {
  return key === undefined || equalBytes(code, codeOfCall(key, call));
}
