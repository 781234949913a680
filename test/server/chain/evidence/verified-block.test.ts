import { expect } from "chai";
import { getBytes, getCreateAddress, hexlify, keccak256, parseEther, Wallet } from "ethers";
import { listKey } from "../../../../server/chain/evidence/merkle-trie.ts";
import { isWhole, type VerifiedBlock } from "../../../../server/chain/evidence/verified-block.ts";
import { VerifiedChain } from "../../../../server/chain/evidence/verified-chain.ts";
import { connectRpc } from "../../../../server/chain/rpc/connect.ts";
import { NodeError } from "../../../../server/chain/rpc/node-error.ts";
import { nodeErrorIn, type Rpc } from "../../../../server/chain/rpc/rpc.ts";
import { startRawAnvil, type RawAnvil } from "../../../support/raw-anvil.ts";
import { decodeRlp, provenValue } from "../../../../verifier/verify.mjs";
import type { ParsedJson } from "../../../support/parsed-json.ts";

/** The key of Anvil's first account. */
const FUNDED = new Wallet("0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80");
const TRANSACTIONS_ROOT = 4;
const RECEIPTS_ROOT = 5;

const readBlock = (rpc: Pick<Rpc, "call">, number: number): Promise<VerifiedBlock | undefined> =>
  new VerifiedChain({ chainId: 1, close: () => undefined, ...rpc, call: (...call) => rpc.call(...call) }).block(number);

describe("verified blocks", function () {
  let anvil: RawAnvil;
  let rpc: Rpc;
  let nonce = 0;

  before(async () => {
    anvil = await startRawAnvil();
    rpc = connectRpc(anvil.http, anvil.chainId);
    await rpc.call("evm_setAutomine", [false]);
  });
  after(async () => {
    rpc.close();
    await anvil.stop();
  });

  /** Mines a block of transactions of all the types that a sender can choose. */
  const mine = async (count: number): Promise<VerifiedBlock> => {
    for (let index = 0; index < count; index += 1) {
      const type = index % 3;
      const accessList = [{ address: FUNDED.address, storageKeys: [keccak256("0x01")] }];
      const raw = await FUNDED.signTransaction({
        type,
        chainId: anvil.chainId,
        nonce: nonce++,
        // Contracts are made as well, and calls have data that no short node holds.
        ...(index % 5 === 4 ? {} : { to: FUNDED.address }),
        data: index % 5 === 4 ? "0x00" : `0x${"ab".repeat(index)}`,
        value: index % 5 === 4 ? 0n : parseEther("0.001") * BigInt(index),
        gasLimit: 100_000,
        ...(type === 2 ? { maxFeePerGas: 7n, maxPriorityFeePerGas: 0n } : { gasPrice: 7n }),
        ...(type === 0 ? {} : { accessList }),
      });
      await rpc.call("eth_sendRawTransaction", [raw]);
    }
    await rpc.call("evm_mine", []);
    const block = await readBlock(rpc, Number(await rpc.call("eth_blockNumber", [])));
    if (block === undefined) throw new Error("the block is not there");
    expect(block.transactions).to.have.length(count);
    return block;
  };

  for (const count of [0, 1, 2, 17, 135]) {
    it(`of ${count} transactions have the node's hash and roots, and prove their content`, async () => {
      const block = await mine(count);
      expect(hexlify(block.reference.hash)).to.equal(keccak256(block.header));
      expect(block.protocol).to.equal("none");
      const fields = decodeRlp(getBytes(block.header));
      const [transactions, receipts] = [fields[TRANSACTIONS_ROOT], fields[RECEIPTS_ROOT]];
      if (!(transactions instanceof Uint8Array) || !(receipts instanceof Uint8Array))
        throw new TypeError("roots are bytes");
      const all = await rpc.call("eth_getBlockByHash", [hexlify(block.reference.hash), false]);
      for (let index = 0; index < count; index += Math.max(1, Math.floor(count / 20))) {
        const transaction = block.transaction(index);
        expect(all).to.have.nested.property(`transactions[${index}]`, keccak256(transaction.raw));
        expect(provenValue(transactions, listKey(index), transaction.proof)).to.deep.equal(getBytes(transaction.raw));
        const receipt = block.receipt(index);
        expect(provenValue(receipts, listKey(index), receipt.proof)).to.deep.equal(getBytes(receipt.raw));
      }
    });
  }

  for (const [hardfork, fields] of [
    ["berlin", 15],
    ["london", 16],
    ["shanghai", 17],
    ["cancun", 20],
    ["prague", 21],
  ] as const) {
    it(`have ${fields} fields in their header since ${hardfork}`, async () => {
      const old = await startRawAnvil(0, hardfork);
      const connection = connectRpc(old.http, old.chainId);
      try {
        await connection.call("evm_mine", []);
        expect(decodeRlp((await readBlock(connection, 1))?.header ?? new Uint8Array())).to.have.length(fields);
      } finally {
        connection.close();
        await old.stop();
      }
    });
  }

  it("are read with their transactions when they can have a log of a contract", async () => {
    const other = getCreateAddress({ from: FUNDED.address, nonce: 1_000_000 });
    const chain = new VerifiedChain(rpc);
    const isRead = async (contract: string): Promise<boolean> => {
      const block = await chain.blockWithLogsOf([contract], Number(await rpc.call("eth_blockNumber", [])));
      if (block === undefined) throw new Error("the block is not there");
      return isWhole(block);
    };
    await mine(0);
    expect(await isRead(other)).to.equal(false);
    // A bloom filter without a bit shows nothing where there are transactions: some chains leave it out.
    await mine(2);
    expect(await isRead(other)).to.equal(true);
    const logging = getCreateAddress({ from: FUNDED.address, nonce });
    const fields = { chainId: anvil.chainId, nonce: nonce++, gasLimit: 100_000, gasPrice: 7n };
    // Its code emits a log without data.
    await rpc.call("eth_sendRawTransaction", [await FUNDED.signTransaction({ ...fields, data: "0x60006000a0" })]);
    await rpc.call("evm_mine", []);
    expect(await isRead(logging)).to.equal(true);
    expect(await isRead(other)).to.equal(false);
  });

  it("are unknown when the node lacks them", async () => {
    expect(await readBlock(rpc, 1_000_000)).to.equal(undefined);
  });

  it("have transactions of unknown types, with the bytes of the node", async () => {
    await mine(2);
    const number = Number(await rpc.call("eth_blockNumber", []));
    const methods: string[] = [];
    /** Presents the second transaction with a type that no version knows. */
    const strange = (bytes: (raw: unknown) => unknown): Pick<Rpc, "call"> => ({
      async call(method, parameters) {
        methods.push(method);
        const response: ParsedJson = structuredClone(await rpc.call(method, parameters));
        if (method === "eth_getBlockByNumber") {
          const { hash, to, input } = response.transactions[1];
          response.transactions[1] = { type: "0x7f", hash, to, input };
        }
        return method === "eth_getRawTransactionByHash" ? bytes(response) : response;
      },
    });
    const block = await readBlock(
      strange((raw) => raw),
      number,
    );
    expect(block?.transactions).to.deep.equal((await readBlock(rpc, number))?.transactions);
    expect(methods.filter((method) => method === "eth_getRawTransactionByHash")).to.have.length(1);
    const lacking = (): never => {
      throw new NodeError("no such method", -32601, undefined);
    };
    for (const bytes of [() => null, () => "0x7f00", lacking]) {
      const error: unknown = await readBlock(strange(bytes), number).catch((thrown: unknown) => thrown);
      expect(error)
        .to.have.nested.property("cause.message")
        .that.matches(/transaction 1 has the type 0x7f, .* bytes/);
    }
  });

  // Security, node: the node cannot change a field of a block, transaction or receipt: the block's hash must match
  it("are rejected when the node's data is inconsistent", async () => {
    await mine(2);
    const number = Number(await rpc.call("eth_blockNumber", []));
    const twisted = (method: string, twist: (response: ParsedJson) => unknown): Pick<Rpc, "call"> => ({
      call: async (requested, parameters) => {
        const response = await rpc.call(requested, parameters);
        return requested === method ? twist(structuredClone(response)) : response;
      },
    });
    const refusal = async (method: string, twist: (response: ParsedJson) => unknown): Promise<string> => {
      const error: unknown = await readBlock(twisted(method, twist), number).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      if (!(error instanceof Error) || !(error.cause instanceof Error)) throw new Error(`${method} was not refused`);
      return error.cause.message;
    };
    const header = await refusal("eth_getBlockByNumber", (block) => ({ ...block, timestamp: "0x1" }));
    expect(header).to.match(/its header does not have its hash$/);
    const later = await refusal("eth_getBlockByNumber", (block) => ({ ...block, timestamp: "0x1", laterRoot: "0x01" }));
    expect(later).to.match(
      /its header does not have its hash; it has fields .* encode \(laterRoot\), .* a later fork$/,
    );
    const typed = await refusal("eth_getBlockReceipts", ([first, second]) => [{ ...first, type: "0x7f" }, second]);
    expect(typed).to.match(/receipts are not those of its header; this version does not know receipts of type 0x7f$/);
    const transactions = await refusal("eth_getBlockByNumber", (block) => ({
      ...block,
      transactions: block.transactions.slice(1),
    }));
    expect(transactions).to.match(/its transactions are not those of its header$/);
    const receipts = await refusal("eth_getBlockReceipts", ([first, second]) => [second, first]);
    expect(receipts).to.match(/its receipts are not those of its header$/);
    expect(await refusal("eth_getBlockReceipts", () => [{}])).to.match(/is malformed$/);
    const failing: Pick<Rpc, "call"> = {
      call: () => Promise.reject(new NodeError("no such method", -32601, undefined)),
    };
    await readBlock(failing, 1).then(
      () => expect.fail("it was read"),
      (error: unknown) => expect(nodeErrorIn(error)).to.be.instanceOf(NodeError),
    );
  });
});
