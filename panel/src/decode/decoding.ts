import { ExplorerClient } from "../../../client/explorer.ts";
import type { DecodedTransaction, RowChecks, RowVerdict } from "../../../client/index.ts";
import { records, session } from "../session/session.ts";
import { anchoredHashOf, functionOf, type RowFunction, textOf } from "./call-data.ts";

/** State of the row on the chain. */
export type OnChain = "current" | "overwritten" | "missing";

/** A decoded transaction. */
export interface Decoded {
  readonly function: RowFunction;
  readonly transaction: DecodedTransaction;
  /** The row's seven segments, as they are stored. */
  readonly segments: readonly string[];
  readonly table: string;
  readonly checks: RowChecks;
  readonly onChain: OnChain;
  /** The row in the server's index of the chain. */
  readonly record: RowVerdict | null;
  /** The transaction that wrote the current row. */
  readonly transactionHash: string | undefined;
}

/** A call that anchors a hash, by the transaction that did so. */
export interface Anchoring {
  readonly anchoredBy: string;
}

/** Reasons for invalid input, checked before the request. */
export type InputError =
  | { readonly kind: "missing" | "hex" | "noTransaction" | "notAnchored" }
  | { readonly kind: "selector"; readonly selector: string };

const HASH = /^0x[0-9a-f]{64}$/;
const HEX = /^0x(?:[0-9a-f]{2})+$/;
const SELECTOR_LENGTH = 10;

const explorer = new ExplorerClient(location.origin, { credentials: "omit" });

/**
 * Decodes pasted input.
 * @throws ClientError The error of the server
 */
export async function decodeInput(pasted: string): Promise<Decoded | Anchoring | { readonly inputError: InputError }> {
  const text = pasted.replace(/\s+/g, "").toLowerCase();
  if (text === "") return { inputError: { kind: "missing" } };
  const input = text.startsWith("0x") ? text : `0x${text}`;
  if (!HEX.test(input)) return { inputError: { kind: "hex" } };
  if (!HASH.test(input)) return decodeCallData(input, undefined);
  const found = await explorer.transaction(input);
  return found === undefined ? { inputError: { kind: "noTransaction" } } : decodeCallData(found.input, input);
}

async function decodeCallData(
  input: string,
  hash: string | undefined,
): Promise<Decoded | Anchoring | { readonly inputError: InputError }> {
  const anchored = anchoredHashOf(input);
  if (anchored !== undefined) {
    const anchoredBy = hash ?? (await explorer.anchor(anchored))?.tx_hash;
    return anchoredBy === undefined ? { inputError: { kind: "notAnchored" } } : { anchoredBy };
  }
  const name = functionOf(input);
  if (name === undefined) return { inputError: { kind: "selector", selector: input.slice(0, SELECTOR_LENGTH) } };
  const { transaction, checks, record } = await session.call((token) => records.audit(token, name, input));
  const segments = transaction.rowdata.filechain.split("|");
  const transactionHash = hash ?? (await transactionOf(segments[2] ?? "", String(transaction.rowid.reference)));
  return {
    function: name,
    transaction,
    segments,
    table: textOf(transaction.tabname.hexdata),
    checks,
    transactionHash,
    record,
    onChain: transactionHash === undefined ? "missing" : await stateOf(transactionHash, transaction),
  };
}

/** Returns the transaction that wrote the current row of a number, looked up by the row's code. */
async function transactionOf(encodedCode: string, rowId: string): Promise<string | undefined> {
  const code = encodedCode.replace(/%7C/gi, "|").replaceAll("%25", "%");
  const search = { field: "code", value: code.replaceAll("*", "\\*"), limit: 1_000, locations: true } as const;
  let cursor: string | undefined;
  do {
    const from = cursor;
    const page = await session.call((token) => records.page(token, search, from));
    const found = page.events.find(({ location }) => location?.chainId === rowId);
    if (found !== undefined) return found.location?.transactionHash;
    cursor = page.next;
  } while (cursor !== undefined);
  return undefined;
}

/** Whether the row on the chain equals the decoded row and its transaction. */
async function stateOf(hash: string, { rowid, rowdata, signature }: DecodedTransaction): Promise<OnChain> {
  const found = await explorer.transaction(hash);
  if (found?.action.kind !== "record" || found.action.row_id !== String(rowid.reference)) return "missing";
  const written = new Map(found.call?.arguments.map(({ name, value }) => [name, value]));
  const isSame =
    written.get("rowdata") === `0x${rowdata.hexdata}` && written.get("signature") === textOf(signature.hexdata);
  return isSame ? found.action.on_chain : "overwritten";
}
