import type { z } from "zod";
import { startAnvil } from "../../server/chain/embedded/anvil-process.ts";
import { NodeReceipt } from "../../server/chain/node/receipt.ts";

/** Room for a thousand hashes with a storage slot each. */
const GAS_LIMIT = 100_000_000;
const CHAIN_ID = 7_328;

const Receipt = NodeReceipt.pick({ status: true, gasUsed: true, contractAddress: true });

/** A bare EVM: that of the embedded chain, with room for larger transactions. */
export interface Evm extends AsyncDisposable {
  /** The sender; its transactions need no signature. */
  readonly sender: string;
  /**
   * Sends a transaction in a separate block.
   * @param to `undefined` deploys a contract
   */
  send(to: string | undefined, data: string): Promise<z.infer<typeof Receipt>>;
}

/** Starts an EVM in an empty folder. */
export async function startEvm(directory: string): Promise<Evm> {
  const genesis = {
    version: 1,
    chainId: CHAIN_ID,
    timestamp: Math.floor(Date.now() / 1000),
    gasLimit: GAS_LIMIT,
  } as const;
  const anvil = await startAnvil(directory, genesis, null);
  const sender = `0x${"5e".repeat(20)}`;
  await anvil.control.call("anvil_impersonateAccount", [sender]);
  return {
    sender,
    async send(to, data) {
      const gas = `0x${GAS_LIMIT.toString(16)}`;
      const transaction = { from: sender, data, gas, gasPrice: "0x0", ...(to === undefined ? {} : { to }) };
      const hash = await anvil.control.call("eth_sendTransaction", [transaction]);
      await anvil.control.call("evm_mine", []);
      const receipt = Receipt.parse(await anvil.control.call("eth_getTransactionReceipt", [hash]));
      if (receipt.status !== 1) throw new Error(`transaction ${String(hash)} was reverted`);
      return receipt;
    },
    [Symbol.asyncDispose]: () => anvil.stop(),
  };
}
