import { assert } from "chai";
import { hexlify, type SigningKey } from "ethers";
import { type ValidatorSet, ValidatorHistory } from "../../../../server/chain/consensus/validators.ts";
import { VerifiedChain } from "../../../../server/chain/evidence/verified-chain.ts";
import { connectRpc } from "../../../../server/chain/rpc/connect.ts";
import type { Rpc } from "../../../../server/chain/rpc/rpc.ts";
import { SealbookError } from "../../../../server/errors.ts";
import { bftRpc, type TestValidators, testValidators } from "../../../support/bft-chain.ts";
import { type RawAnvil, startRawAnvil } from "../../../support/raw-anvil.ts";

const SEVEN = testValidators(7);
const FORGERS = testValidators(7, "forger");

const join = (...parts: readonly TestValidators[]): TestValidators => ({
  keys: parts.flatMap(({ keys }) => keys),
  addresses: parts.flatMap(({ addresses }) => addresses),
});
const some = ({ keys, addresses }: TestValidators, from: number, to: number): TestValidators => ({
  keys: keys.slice(from, to),
  addresses: addresses.slice(from, to),
});

for (const protocol of ["ibft2", "qbft"] as const)
  describe(`validators that the server knows, with ${protocol}`, function () {
    let anvil: RawAnvil;
    let rpc: Rpc;
    let stored: ValidatorSet[];
    let validators: ValidatorHistory;
    before(async () => {
      anvil = await startRawAnvil();
      rpc = connectRpc(anvil.http, anvil.chainId);
      for (let block = 1; block <= 4; block += 1) await rpc.call("evm_mine", []);
    });
    after(async () => {
      rpc.close();
      await anvil.stop();
    });
    const open = async (): Promise<void> => {
      validators = await ValidatorHistory.open({
        read: async () => stored,
        add: async (set) => void stored.push(set),
      });
    };
    /** Reads a block of a node that presents it with these validators and seals. */
    const time = async (
      block: number,
      set: TestValidators,
      signers: readonly SigningKey[],
    ): Promise<number | undefined> =>
      (
        await new VerifiedChain(bftRpc(rpc, { protocol, validators: set, round: 0, signers }), {
          validators,
        }).header(block)
      )?.reference.time;
    const rejects = async (reading: Promise<unknown>): Promise<void> => {
      const error: unknown = await reading.then(
        () => assert.fail("the block is accepted"),
        (thrown: unknown) => thrown,
      );
      assert.match(String(error), /its validators did not seal it/);
    };

    beforeEach(async () => {
      stored = [];
      await open();
      assert.isNumber(await time(1, SEVEN, SEVEN.keys.slice(0, 5)));
      assert.deepEqual(stored, [{ fromBlock: 1, validators: [...SEVEN.addresses].sort() }]);
    });

    it("seal a block by a quorum, also after a restart", async () => {
      await open();
      assert.isNumber(await time(2, SEVEN, SEVEN.keys.slice(2)));
      await rejects(time(3, SEVEN, SEVEN.keys.slice(0, 4)));
      assert.lengthOf(stored, 1);
    });

    // Security, node: the node cannot replace a block of a BFT network: commit seals of known validators are checked
    it("are not those that a forged header lists", async () => {
      await rejects(time(2, FORGERS, FORGERS.keys));
      // As many of the known ones as may be faulty are not enough.
      const mixed = join(some(SEVEN, 0, 2), FORGERS);
      await rejects(time(2, mixed, mixed.keys));
    });

    it("are followed by those of a block that more of them sealed than may be faulty", async () => {
      const next = join(some(SEVEN, 0, 4), some(FORGERS, 0, 3));
      assert.isNumber(await time(3, next, next.keys.slice(1, 6)));
      assert.deepEqual(
        stored.map(({ fromBlock }) => fromBlock),
        [1, 3],
      );
      assert.isNumber(await time(2, SEVEN, SEVEN.keys.slice(0, 5)));
      assert.isNumber(await time(4, next, next.keys.slice(2)));
    });

    it("are not circumvented by a block without seals or without validators", async () => {
      await rejects(new VerifiedChain(rpc, { validators }).header(2));
      await rejects(time(2, some(SEVEN, 0, 0), []));
    });
  });

describe("blocks of an engine with a record", () => {
  let anvil: RawAnvil;
  let rpc: Rpc;
  before(async () => {
    anvil = await startRawAnvil();
    rpc = connectRpc(anvil.http, anvil.chainId);
    for (let block = 1; block <= 2; block += 1) await rpc.call("evm_mine", []);
  });
  after(async () => {
    rpc.close();
    await anvil.stop();
  });

  // Security, machine: cannot get a statement or a bundle signed for a block of the engine that is not in the block log
  it("are signed for only as they were recorded", async () => {
    const recorded = new Map<number, string>();
    const chain = new VerifiedChain({
      chainId: rpc.chainId,
      call: (method, parameters) => rpc.call(method, parameters),
      recordedHash: async (number) => recorded.get(number),
      close: () => undefined,
    });
    const references = [];
    for (const number of [1, 2]) {
      const header = await chain.header(number);
      assert.isDefined(header);
      references.push(header.reference);
      recorded.set(number, hexlify(header.reference.hash));
    }
    await chain.trust(references);
    recorded.set(2, recorded.get(1) ?? "");
    const error: unknown = await chain.trust(references).catch((thrown: unknown) => thrown);
    assert.instanceOf(error, SealbookError);
    assert.match(String(error.cause), /block 2 is not the one that was recorded/);
  });
});
