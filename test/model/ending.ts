import { assert } from "chai";
import { hexlify } from "ethers";
import { merkleTree } from "../../server/journal/integrity/merkle.ts";
import { proofsOnDisk } from "../support/journal-rows.ts";
import type { World } from "./world.ts";

/** Time enough for every retry, of which the rarest come every ten minutes. */
const ROUNDS = [...Array<number>(30).fill(5_000), ...Array<number>(40).fill(60_000)];

/** Lets the chain work until nothing is left to do, and looks whether all that was promised is there. */
export async function assertAllEndsWell(world: World): Promise<void> {
  await world.recover();
  for (const milliseconds of ROUNDS) {
    await world.wait(milliseconds);
    world.mine();
    world.check();
    if (world.waiting === 0 && world.disk.query((database) => database.prepare(WITHOUT_OUTCOME).get())?.count === 0)
      break;
  }
  assert.strictEqual(world.waiting, 0, "every request has a response");
  world.ledger.assertKept(world.disk);

  const { mined } = world.chain;
  for (const relayer of world.relayers) {
    const nonces = mined.filter(({ from }) => from === relayer).map(({ nonce }) => nonce);
    assert.deepEqual(
      nonces,
      nonces.map((_, index) => index),
      "nonces follow one another",
    );
    assert.strictEqual(world.chain.freeNonceOf(relayer), nonces.length, "nothing of a key waits in the pool");
  }
  assert.strictEqual(
    world.disk.query((database) => database.prepare(WITHOUT_OUTCOME).get())?.count,
    0,
    "every transaction has an outcome",
  );

  const anchors = world.disk.query((database) => database.prepare(ANCHORS).all());
  const onChain = mined
    .filter(({ succeeded }) => succeeded)
    .flatMap(({ hash, anchor }) => (anchor === undefined ? [] : [{ hash, anchor }]));
  const given = onChain.map(({ anchor }) => anchor.hash);
  assert.lengthOf(new Set(given), given.length, "nothing was anchored twice");
  assert.sameMembers(
    given,
    anchors.map((anchor) => hexlify(anchor.hash as Uint8Array)),
    "on chain is what the journal has",
  );

  const proofs = world.disk.query(proofsOnDisk);
  /** The anchor of each recorded hash. */
  const anchorOf = new Map<string, number>();
  for (const { id, hash, size, state, transaction } of anchors) {
    assert.strictEqual(state, "confirmed", `anchor ${String(id)}`);
    const mined = onChain.find((each) => each.hash === hexlify(transaction as Uint8Array));
    assert.deepEqual(mined?.anchor, { hash: hexlify(hash as Uint8Array), size: Number(size) }, "as the chain has it");
    const own = proofs.filter(({ anchor }) => anchor === id).sort((a, b) => a.place - b.place);
    const distinct = own.filter(({ place }, index) => place !== own[index - 1]?.place);
    const leaves = distinct.map(({ recordHash }) => recordHash);
    assert.deepEqual(
      distinct.map(({ place }) => place),
      leaves.map((_, index) => index),
      "no index is empty or taken twice",
    );
    assert.strictEqual(
      hexlify(hash as Uint8Array),
      hexlify(size === 0 ? (leaves[0] ?? "0x") : merkleTree(leaves).root),
    );
    for (const leaf of leaves) {
      assert.isFalse(anchorOf.has(hexlify(leaf)), "a recorded hash is under one anchor");
      anchorOf.set(hexlify(leaf), Number(id));
    }
  }
  for (const { documentId, recordHash } of world.ledger.accepted.values()) {
    assert.isTrue(anchorOf.has(recordHash), `${documentId} was accepted and is not anchored`);
  }
}

const WITHOUT_OUTCOME = `select (select count(*) from anchors left join transactions on transactions.id = transaction_id
  where state is null or state != 'confirmed')
  + (select count(*) from transactions where state in ('queued', 'sent')) as count`;
const ANCHORS = `select anchors.id, anchors.hash, size, state, transactions.hash as "transaction" from anchors
  left join transactions on transactions.id = transaction_id`;
