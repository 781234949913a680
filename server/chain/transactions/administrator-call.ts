import { setTimeout as sleep } from "node:timers/promises";
import { type BaseWallet, hexlify, type TransactionLike } from "ethers";
import { SealbookError } from "../../errors.ts";
import { readReceipt } from "../node/receipt.ts";
import { revertReason } from "../contracts/interfaces.ts";
import { fetchQuantity } from "../rpc/query.ts";
import { type Rpc } from "../rpc/rpc.ts";
import { type FeeConfig, FeeSource, type FeeQuote, type GasFee } from "./fees.ts";
import { feeRefusal } from "./send-refusal.ts";
import { NodeError } from "../rpc/node-error.ts";

/** Maximum wait for the transaction; administrator calls are rare. */
const WAIT_MILLISECONDS = 120_000;
const INTERVAL_MILLISECONDS = 50;
const GAS_LIMIT = 5_000_000;

/** A call by the administrator. */
export interface AdministratorCall {
  /** Unset for the deployment of a contract. */
  readonly to?: string;
  readonly data: string;
  readonly fees: FeeConfig;
}

/**
 * Sends one transaction with the administrator's key and waits until it is mined. {@link TransactionSender} sends the
 * relayer's own transactions.
 * @throws SealbookError `chain_reverted` with the contract's error; `chain_unavailable` when it is not mined in time or
 * its fee is refused
 */
export async function sendAdministratorCall(
  rpc: Rpc,
  administrator: BaseWallet,
  { to, data, fees }: AdministratorCall,
): Promise<{ hash: string; nonce: number; block: number }> {
  const quote = await new FeeSource(rpc, fees).quote();
  if (quote.fault !== undefined) throw new SealbookError("chain_unavailable", quote.fault);
  const nonce = await fetchQuantity(rpc, "eth_getTransactionCount", [administrator.address, "pending"]);
  const raw = await administrator.signTransaction({
    ...feeFields(quote.fee),
    chainId: rpc.chainId,
    ...(to === undefined ? {} : { to }),
    data,
    nonce,
    gasLimit: GAS_LIMIT,
  });
  const hash = String(
    await rpc.call("eth_sendRawTransaction", [raw]).catch((error: unknown) => {
      throw refused(error, administrator.address, quote);
    }),
  );
  for (
    const deadline = performance.now() + WAIT_MILLISECONDS;
    performance.now() < deadline;
    await sleep(INTERVAL_MILLISECONDS)
  ) {
    const receipt = await readReceipt(rpc, hash, new Map());
    if (receipt === undefined) continue;
    if (receipt.succeeded) return { hash, nonce, block: receipt.block.number };
    const reason = await revertReason(rpc, Buffer.from(raw.slice(2), "hex"));
    throw new SealbookError("chain_reverted", reason);
  }
  throw new SealbookError("chain_unavailable", `transaction ${hexlify(hash)} was not mined within two minutes`);
}

function feeFields({ kind, max, tip }: GasFee): TransactionLike {
  return kind === "legacy" ? { type: 0, gasPrice: max } : { type: 2, maxFeePerGas: max, maxPriorityFeePerGas: tip };
}

function refused(error: unknown, sender: string, quote: FeeQuote): unknown {
  const named = feeRefusal(error, sender, quote);
  if (!(named instanceof NodeError)) return named;
  return new SealbookError("chain_reverted", `the node refused the transaction: ${named.message}`, { cause: error });
}
