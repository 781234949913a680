import { assert } from "chai";
import { eventually } from "./eventually.ts";
import { request } from "./http.ts";
import type { ParsedJson } from "./parsed-json.ts";

/** Makes one JSON-RPC call, without any of the server's code. */
export async function rpcCall(url: string, method: string, ...params: unknown[]): Promise<ParsedJson> {
  const { body } = await request(url, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  if (body?.error !== undefined) throw new Error(`${method}: ${JSON.stringify(body.error)}`);
  return body.result;
}

/** A transaction on the chain. */
export interface MinedTransaction {
  readonly hash: string;
  readonly from: string;
  readonly to: string | null;
  readonly input: string;
  readonly blockNumber: string;
}

/** Fetches every transaction on the chain, oldest first. */
export async function allTransactions(url: string): Promise<MinedTransaction[]> {
  const head = Number(await rpcCall(url, "eth_blockNumber"));
  const found: MinedTransaction[] = [];
  for (let number = 0; number <= head; number += 1) {
    // A node that mines can name its newest block before it returns it.
    found.push(
      ...(await eventually(async () => {
        const block = await rpcCall(url, "eth_getBlockByNumber", `0x${number.toString(16)}`, true);
        assert.isNotNull(block, `block ${number}`);
        return block.transactions;
      })),
    );
  }
  return found;
}

/**
 * Returns the anchored hash of a proof, in hex without prefix: its root, or its recorded hash when it was anchored
 * alone.
 */
export function anchoredHash({ record_hash, merkle }: { record_hash: string; merkle?: { root: string } }): string {
  return merkle === undefined ? record_hash : merkle.root.slice(2);
}
