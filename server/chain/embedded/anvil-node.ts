import { z } from "zod";
import type { AnvilProcess } from "./anvil-process.ts";

const Quantity = z
  .string()
  .regex(/^0x[0-9a-f]+$/)
  .transform((hex) => Number(BigInt(hex)));
const Hash = z.string().regex(/^0x[0-9a-f]{64}$/);
/** Checked without a repeated group: on a dump of many megabytes that would use up the stack. */
const Bytes = z
  .string()
  .regex(/^0x[0-9a-f]*$/)
  .refine((hex) => hex.length % 2 === 0);
const Block = z.object({
  number: Quantity,
  hash: Hash,
  parentHash: Hash,
  timestamp: Quantity,
  transactions: z.array(Hash),
});
const PoolStatus = z.object({ pending: Quantity, queued: Quantity });
const PoolPart = z.record(z.string(), z.record(z.string(), z.object({ hash: Hash })));
const PoolContent = z.object({ pending: PoolPart, queued: PoolPart });

/** The part of a block that the chain itself looks at. */
export type BlockHeader = z.infer<typeof Block>;

/** Anvil's methods that make blocks, with checked answers. */
export class AnvilNode {
  readonly process: AnvilProcess;

  constructor(process: AnvilProcess) {
    this.process = process;
  }

  /** Checks a transaction and puts it into the pool; answers its hash. */
  async send(raw: string): Promise<string> {
    return Hash.parse(await this.process.control.call("eth_sendRawTransaction", [raw]));
  }

  /** Makes the next block of what is ready in the pool. */
  async mine(timestamp: number): Promise<void> {
    await this.process.control.call("evm_mine", [timestamp]);
  }

  async block(number: number): Promise<BlockHeader> {
    return Block.parse(await this.process.control.call("eth_getBlockByNumber", [`0x${number.toString(16)}`, false]));
  }

  async rawTransaction(hash: string): Promise<string> {
    return Bytes.parse(await this.process.control.call("eth_getRawTransactionByHash", [hash]));
  }

  /** How many transactions wait: `pending` can go into the next block, `queued` waits for an earlier nonce. */
  async poolStatus(): Promise<z.infer<typeof PoolStatus>> {
    return PoolStatus.parse(await this.process.control.call("txpool_status"));
  }

  /** The hashes of everything that waits. */
  async poolHashes(): Promise<Set<string>> {
    const content = PoolContent.parse(await this.process.control.call("txpool_content"));
    const senders = [...Object.values(content.pending), ...Object.values(content.queued)];
    return new Set(senders.flatMap((nonces) => Object.values(nonces).map(({ hash }) => hash)));
  }

  /** The whole chain with every block and receipt, as gzipped JSON. */
  async dumpState(): Promise<Buffer> {
    return Buffer.from(Bytes.parse(await this.process.control.call("anvil_dumpState")).slice(2), "hex");
  }
}
