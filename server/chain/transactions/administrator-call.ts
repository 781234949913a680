import { setTimeout as sleep } from "node:timers/promises";
import { type BaseWallet, hexlify } from "ethers";
import { SealbookError } from "../../errors.ts";
import { readReceipt } from "../node/receipt.ts";
import { revertReason } from "../contracts/interfaces.ts";
import { fetchQuantity } from "../rpc/query.ts";
import { NodeError, type Rpc } from "../rpc/rpc.ts";

/** Maximum wait for the transaction; administrator calls are rare. */
const WAIT_MILLISECONDS = 120_000;
const INTERVAL_MILLISECONDS = 50;
const GAS_LIMIT = 5_000_000;

/** A call by the administrator. */
export interface AdministratorCall {
  /** Unset for the deployment of a contract. */
  readonly to?: string;
  readonly data: string;
  readonly gasPrice: bigint;
}

/**
 * Sends one transaction with the administrator's key and waits until it is mined. {@link TransactionSender} sends the
 * relayer's own transactions.
 * @throws SealbookError `chain_reverted` with the contract's error; `chain_unavailable` when it is not mined in time
 */
export async function sendAdministratorCall(
  rpc: Rpc,
  administrator: BaseWallet,
  { to, data, gasPrice }: AdministratorCall,
): Promise<{ hash: string; nonce: number; block: number }> {
  const nonce = await fetchQuantity(rpc, "eth_getTransactionCount", [administrator.address, "pending"]);
  const raw = await administrator.signTransaction({
    type: 0,
    chainId: rpc.chainId,
    ...(to === undefined ? {} : { to }),
    data,
    nonce,
    gasLimit: GAS_LIMIT,
    gasPrice,
  });
  const hash = String(await rpc.call("eth_sendRawTransaction", [raw]).catch(refused));
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

function refused(error: unknown): never {
  if (!(error instanceof NodeError)) throw error;
  throw new SealbookError("chain_reverted", `the node refused the transaction: ${error.message}`, { cause: error });
}
