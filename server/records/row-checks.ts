import type { Row } from "./row-data.ts";
import { recoverSigner } from "./row-signature.ts";

/** Checks of a row against its own call data. They need neither a server nor the chain. */
export interface RowChecks {
  /** Checksummed address; `undefined` if the event table would not accept the signature. */
  readonly signer: string | undefined;
  /** Whether the signer is the sender named in the row. */
  readonly signedBySender: boolean;
  /** Whether the row id in the row is that of the call. */
  readonly rowIdMatches: boolean;
  /** Whether all checks passed. */
  readonly passed: boolean;
}

/** A decoded row, and the arguments of its call that it is checked against. */
interface CheckedCall {
  readonly row: Pick<Row, "rowId" | "sender">;
  readonly arguments: { readonly rowid: bigint; readonly rowdata: Uint8Array; readonly signature: string };
}

/** Checks a decoded row. */
export function checkRow({ row, arguments: args }: CheckedCall): RowChecks {
  const signer = recoverSigner(args.rowdata, args.signature);
  const signedBySender = signer?.toLowerCase() === row.sender.toLowerCase();
  const rowIdMatches = row.rowId === args.rowid.toString();
  return { signer, signedBySender, rowIdMatches, passed: signedBySender && rowIdMatches };
}
