import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getCreateAddress, Wallet, type HDNodeWallet } from "ethers";
import * as z from "zod";
import {
  startEmbeddedChain,
  type EmbeddedChain,
  type EmbeddedChainEvent,
  type EmbeddedChainOptions,
} from "../../../../server/chain/embedded/embedded-chain.ts";

export const CHAIN_ID = 31_999;

const RpcResponse = z.object({
  id: z.unknown(),
  result: z.unknown().optional(),
  error: z.object({ code: z.number(), message: z.string() }).optional(),
});
export const Block = z.object({
  number: z.string(),
  hash: z.string(),
  timestamp: z.string(),
  transactions: z.array(z.string()),
});
export type Block = z.infer<typeof Block>;

export class RpcFailure extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export async function post(url: string, body: unknown): Promise<unknown> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return response.json();
}

export async function rpc(url: string, method: string, ...params: unknown[]): Promise<unknown> {
  const { result, error } = RpcResponse.parse(await post(url, { jsonrpc: "2.0", id: randomUUID(), method, params }));
  if (error !== undefined) throw new RpcFailure(error.code, error.message);
  return result;
}

export async function failureOf(promise: Promise<unknown>): Promise<RpcFailure> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof RpcFailure) return error;
    throw error;
  }
  throw new Error("It was expected to fail.");
}

export async function block(url: string, which: number | "latest"): Promise<Block> {
  const tag = typeof which === "number" ? `0x${which.toString(16)}` : which;
  return Block.parse(await rpc(url, "eth_getBlockByNumber", tag, false));
}

export async function height(url: string): Promise<number> {
  return Number(await rpc(url, "eth_blockNumber"));
}

export async function mined(url: string, hash: string): Promise<void> {
  while ((await rpc(url, "eth_getTransactionReceipt", hash)) === null)
    await new Promise((resolve) => setTimeout(resolve, 2));
}

/** Stores a word under the block number and the hash of the third last block beside it, and logs. */
const RUNTIME = "60003543556003430340600160801b43015560003560005260aa60206000a100";
const RUNTIME_SIZE = (RUNTIME.length / 2).toString(16);
export const RECORDER_CODE = `0x60${RUNTIME_SIZE}600c60003960${RUNTIME_SIZE}6000f3${RUNTIME}`;

/** Signs transactions of one account, one nonce after the other. */
export class Account {
  readonly wallet: HDNodeWallet | Wallet;
  nonce: number;

  constructor(privateKey?: string, nonce = 0) {
    this.wallet = privateKey === undefined ? Wallet.createRandom() : new Wallet(privateKey);
    this.nonce = nonce;
  }

  get recorder(): string {
    return getCreateAddress({ from: this.wallet.address, nonce: 0 });
  }

  sign(
    fields: {
      nonce?: number;
      to?: string | null;
      data?: string;
      gasLimit?: bigint;
      value?: bigint;
      chainId?: number;
      gasPrice?: bigint;
    } = {},
  ): Promise<string> {
    const nonce = fields.nonce ?? this.nonce++;
    return this.wallet.signTransaction({
      type: 0,
      gasPrice: 0n,
      gasLimit: 200_000n,
      value: 0n,
      chainId: CHAIN_ID,
      to: `0x${"11".repeat(20)}`,
      ...fields,
      nonce,
    });
  }

  deploy(): Promise<string> {
    return this.sign({ to: null, data: RECORDER_CODE, gasLimit: 500_000n });
  }

  record(value: number): Promise<string> {
    return this.sign({ to: this.recorder, data: `0x${value.toString(16).padStart(64, "0")}` });
  }
}

export async function send(url: string, raw: string): Promise<string> {
  return z.string().parse(await rpc(url, "eth_sendRawTransaction", raw));
}

/** The responses to all queries of the chain up to a block, as one text. */
export async function picture(url: string, upTo: number, recorder: string): Promise<string> {
  const parts: unknown[] = [];
  for (let number = 0; number <= upTo; number += 1) {
    const tag = `0x${number.toString(16)}`;
    parts.push(await rpc(url, "eth_getBlockByNumber", tag, true), await rpc(url, "eth_getBlockReceipts", tag));
    parts.push(await rpc(url, "eth_getStorageAt", recorder, tag, "latest"));
    parts.push(await rpc(url, "eth_getStorageAt", recorder, `0x1${number.toString(16).padStart(32, "0")}`, "latest"));
  }
  parts.push(await rpc(url, "eth_getLogs", { fromBlock: "0x0", toBlock: `0x${upTo.toString(16)}` }));
  return JSON.stringify(parts);
}

/** Folders and chains that are gone after the test. */
export class Scene {
  readonly #directories: string[] = [];
  readonly #chains: EmbeddedChain[] = [];
  readonly events: EmbeddedChainEvent[] = [];

  async directory(): Promise<string> {
    const directory = await mkdtemp(join(tmpdir(), "embedded-chain-"));
    this.#directories.push(directory);
    return directory;
  }

  async start(directory: string, options: Partial<EmbeddedChainOptions> = {}): Promise<EmbeddedChain> {
    const onEvent = (event: EmbeddedChainEvent): void => void this.events.push(event);
    const chain = await startEmbeddedChain({
      directory,
      port: 0,
      blockPeriodSeconds: 0,
      chainId: CHAIN_ID,
      onEvent,
      portSends: true,
      ...options,
    });
    this.#chains.push(chain);
    return chain;
  }

  async end(): Promise<void> {
    await Promise.all(this.#chains.map((chain) => chain.stop()));
    for (const directory of this.#directories) await rm(directory, { recursive: true, force: true });
  }
}
