import { appendFile, mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { EIP1193Provider } from "@nomicfoundation/ignition-core";
import { type BaseWallet, keccak256 } from "ethers";
import * as z from "zod";
import type { Rpc } from "../../server/chain/rpc/rpc.ts";
import { feeRefusal } from "../../server/chain/transactions/send-refusal.ts";
import type { FeeQuote } from "../../server/chain/transactions/fees.ts";

/**
 * The transactions of a deployment, written before they are sent. Ignition writes a hash after it: killed between the
 * two, it asks the user to find the transaction with a nonce.
 */
export class SentTransactions {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async add(nonce: number, hash: string): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    await appendFile(this.#file, `${nonce} ${hash}\n`);
  }

  /** Returns the hashes of all transactions that were signed with a nonce, the newest first. */
  async withNonce(nonce: number): Promise<readonly string[]> {
    const text = await readFile(this.#file, "utf8").catch(() => "");
    const lines = text.split("\n").map((line) => line.split(" "));
    return lines.flatMap(([at, hash]) => (at === String(nonce) && hash !== undefined ? [hash] : [])).reverse();
  }

  get #file(): string {
    return join(this.#folder, "sent-transactions");
  }
}

const Transaction = z.object({
  to: z.string().optional(),
  data: z.string(),
  nonce: z.string().transform(Number),
  gas: z.string(),
  gasPrice: z.string().optional(),
  maxFeePerGas: z.string().optional(),
  maxPriorityFeePerGas: z.string().optional(),
});
const Sent = z.tuple([Transaction]);

/**
 * Returns a provider that signs with a key of its own what its node is asked to send.
 * @param onSigned Called with the hash of each transaction, before it is sent
 */
export function signingProvider(
  rpc: Rpc,
  wallet: BaseWallet,
  quote: FeeQuote,
  onSigned: (nonce: number, hash: string) => Promise<void>,
): EIP1193Provider {
  const call = (method: string, parameters: readonly unknown[]): Promise<unknown> =>
    rpc.call(method, parameters).catch((error: unknown) => {
      throw feeRefusal(error, wallet.address, quote);
    });
  return {
    async request({ method, params }) {
      const parameters: readonly unknown[] = Array.isArray(params) ? params : [];
      if (method !== "eth_sendTransaction") return call(method, parameters);
      const [{ to, data, nonce, gas, ...fee }] = Sent.parse(parameters);
      const raw = await wallet.signTransaction({
        chainId: rpc.chainId,
        nonce,
        ...(to === undefined ? {} : { to }),
        data,
        gasLimit: gas,
        ...feeFields(quote, fee),
      });
      await onSigned(nonce, keccak256(raw));
      return call("eth_sendRawTransaction", [raw]);
    },
  };
}

/** Ignition gives each chain with a base fee the fields of EIP-1559, also where the quote is a legacy price. */
function feeFields(
  { fee: { kind } }: FeeQuote,
  { gasPrice, maxFeePerGas, maxPriorityFeePerGas }: Pick<z.output<typeof Transaction>, FeeField>,
): Partial<Record<FeeField, string>> & { type: number } {
  if (maxFeePerGas === undefined || kind === "legacy") return { type: 0, gasPrice: maxFeePerGas ?? gasPrice ?? "0x0" };
  return { type: 2, maxFeePerGas, maxPriorityFeePerGas: maxPriorityFeePerGas ?? "0x0" };
}

type FeeField = "gasPrice" | "maxFeePerGas" | "maxPriorityFeePerGas";
