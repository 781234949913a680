import type { z } from "zod";
import { BlockHeader, HashedHeader } from "../../server/chain/evidence/block-header.ts";
import { ConsensusLog, ConsensusReceipt } from "../../server/chain/evidence/receipt-encoding.ts";
import { LegacyTransaction } from "../../server/chain/evidence/transaction-encoding.ts";
import { NodeBlock, NodeTransaction } from "../../server/chain/node/node-block.ts";
import { NodeReceipt } from "../../server/chain/node/receipt.ts";
import { NodeLog } from "../../server/chain/node/log.ts";
import type { Intercept } from "./faulty-proxy.ts";

/** A lie of a node: one change to every response of one method. */
export interface Lie {
  /** The method, the field and the change. */
  readonly title: string;
  readonly method: string;
  readonly change: (result: unknown) => unknown;
}

type Change = (value: unknown) => unknown;
type Shape = Readonly<Record<string, z.ZodType>>;

const fieldsOf = (...shapes: readonly Shape[]): string[] => [...new Set(shapes.flatMap((shape) => Object.keys(shape)))];

const BLOCK = fieldsOf(NodeBlock.shape, HashedHeader.shape, BlockHeader.shape);
const TRANSACTION = fieldsOf(NodeTransaction.shape, LegacyTransaction.shape);
const RECEIPT = fieldsOf(NodeReceipt.shape, ConsensusReceipt.shape);
const LOG = fieldsOf(NodeLog.shape, ConsensusLog.shape);

/** Changes a value to another one of the same form. */
const another: Change = (value) => {
  if (Array.isArray(value)) return value.slice(1);
  if (typeof value !== "string") return value === null ? "0x1" : value;
  if (value === "0x") return "0x01";
  const last = Number.parseInt(value.slice(-1), 16);
  return `${value.slice(0, -1)}${(last ^ 1).toString(16)}`;
};
const nothing: Change = () => null;
/** 116 days earlier. */
const early: Change = (value) => `0x${(Number(value) - 10_000_000).toString(16)}`;
const plus =
  (by: number): Change =>
  (value) =>
    `0x${Math.max(0, Number(value) + by).toString(16)}`;
const always =
  (value: unknown): Change =>
  () =>
    value;

/** Applies a change to a field of an object, of each object of a list; leaves anything else. */
function inField(field: string, change: Change): Change {
  return (result) => {
    if (Array.isArray(result)) return result.map(inField(field, change));
    if (typeof result !== "object" || result === null) return result;
    const known: Readonly<Record<string, unknown>> = { ...result };
    return field in known ? { ...known, [field]: change(known[field]) } : result;
  };
}

function liesOf(method: string, fields: readonly string[], within: (change: Change) => Change, place = ""): Lie[] {
  return fields.flatMap((field) =>
    [
      ["another", another],
      ["null", nothing],
    ].map(([name, change]) => ({
      title: `${method} ${place}${field}: ${String(name)}`,
      method,
      change: within(inField(field, change as Change)),
    })),
  );
}

/** Every field of every response that the server reads, and every response that is not an object. */
export const LIES: readonly Lie[] = [
  ...liesOf("eth_getBlockByNumber", BLOCK, (change) => change),
  ...liesOf("eth_getBlockByNumber", TRANSACTION, (change) => inField("transactions", change), "transactions."),
  ...["eth_getBlockReceipts", "eth_getTransactionReceipt"].flatMap((method) => [
    ...liesOf(method, RECEIPT, (change) => change),
    ...liesOf(method, LOG, (change) => inField("logs", change), "logs."),
  ]),
  ...liesOf("eth_getLogs", LOG, (change) => change),
  ...liesOf("eth_getTransactionByHash", TRANSACTION, (change) => change),
  ...(
    [
      ["eth_getBlockByNumber", "timestamp: early", inField("timestamp", early)],
      ["eth_getBlockByNumber", "no block", nothing],
      ["eth_getBlockReceipts", "none", always([])],
      ["eth_getBlockReceipts", "no block", nothing],
      ["eth_getTransactionReceipt", "no transaction", nothing],
      ["eth_getLogs", "none", always([])],
      ["eth_blockNumber", "ahead", plus(5)],
      ["eth_blockNumber", "behind", plus(-2)],
      ["eth_blockNumber", "null", nothing],
      ["eth_getTransactionCount", "more", plus(3)],
      ["eth_getTransactionCount", "less", plus(-2)],
      ["eth_getTransactionCount", "none", always("0x0")],
      ["eth_chainId", "another", plus(1)],
      ["eth_getCode", "none", always("0x")],
      ["eth_getCode", "another", another],
      ["eth_call", "nothing", always("0x")],
      ["eth_call", "zero", (value: unknown) => `0x${"0".repeat(String(value).length - 2)}`],
      ["eth_call", "another", another],
      ["eth_call", "early", (value: unknown) => String(value).replace(/^(0x0*)([0-9a-f]{8})/, "$165000000")],
      ["eth_sendRawTransaction", "another hash", another],
    ] as const
  ).map(([method, title, change]) => ({ title: `${method} ${title}`, method, change })),
];

/** Returns the interception that tells a lie. */
export function telling(lie: Lie): Intercept {
  return ({ method }) => (method === lie.method ? { change: lie.change } : "pass");
}
