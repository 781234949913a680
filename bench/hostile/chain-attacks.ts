import { type Attack, flood, type Hostile, type HostileRequest, inTurn } from "./hostile.ts";

/** Requests of a batch. */
const BATCH = 100;

interface Call {
  readonly method: string;
  readonly params: readonly unknown[];
}

function batchOf(calls: readonly Call[]): HostileRequest {
  const batch = calls.map((one, id) => ({ jsonrpc: "2.0", id, ...one }));
  return { path: "/", body: JSON.stringify(batch) };
}

function chunks<Value>(values: readonly Value[], size: number): Value[][] {
  return Array.from({ length: Math.ceil(values.length / size) }, (_, index) =>
    values.slice(index * size, (index + 1) * size),
  );
}

function sendAll(transactions: readonly string[]): HostileRequest[] {
  return chunks(transactions, BATCH).map((some) =>
    batchOf(some.map((raw) => ({ method: "eth_sendRawTransaction", params: [raw] }))),
  );
}

function toChain(connections: number, requests: (hostile: Hostile) => readonly HostileRequest[]): Attack {
  return (hostile) => flood({ ...hostile, url: hostile.chainUrl }, connections, inTurn(requests(hostile)));
}

/** Runs until its gas is used: a label, and a jump to it. */
const endless = { data: "0x5b600056", gas: "0x1c9c380" };

/** What a user of the server's machine can do at the port of the embedded chain. */
export const CHAIN_ATTACKS: readonly (readonly [string, Attack])[] = [
  // They are refused.
  ["chain port: transactions", toChain(16, ({ transactions }) => sendAll(transactions))],
  [
    "chain port: endless calls",
    toChain(64, () => [batchOf(Array.from({ length: BATCH }, () => ({ method: "eth_call", params: [endless] })))]),
  ],
  ["chain port: traces", toChain(8, () => [batchOf([{ method: "debug_traceCall", params: [endless, "latest"] }])])],
  [
    "chain port: logs and pool",
    toChain(64, () => [
      batchOf(
        Array.from({ length: BATCH }, (_, index) =>
          index % 2 === 0
            ? { method: "eth_getLogs", params: [{ fromBlock: "0x0", toBlock: "latest" }] }
            : { method: "txpool_content", params: [] },
        ),
      ),
    ]),
  ],
];
