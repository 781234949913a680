import { createHash } from "node:crypto";
import fc from "fast-check";
import type { ProofRequest } from "../../server/proofs/proof.ts";
import type { Fault } from "./network.ts";
import type { Setting, World } from "./world.ts";

/** One thing that happens to the relayers. */
export type Step =
  | { readonly kind: "post"; readonly relayer: number; readonly record: number }
  | { readonly kind: "bulk"; readonly relayer: number; readonly records: readonly number[] }
  | { readonly kind: "wait"; readonly milliseconds: number }
  | { readonly kind: "mine" }
  | { readonly kind: "kill"; readonly relayer: number; readonly afterSteps: number }
  | { readonly kind: "stop"; readonly relayer: number }
  | { readonly kind: "start"; readonly relayer: number }
  | { readonly kind: "pause" | "cut off"; readonly relayer: number; readonly milliseconds: number }
  | { readonly kind: "commit lost"; readonly relayer: number }
  | { readonly kind: "lock broken" }
  | { readonly kind: "network"; readonly fault: Fault; readonly of: "sends" | "calls"; readonly calls: number }
  | { readonly kind: "disk"; readonly statements: number }
  | { readonly kind: "pool dropped" }
  | { readonly kind: "node lags"; readonly blocks: number }
  | { readonly kind: "nonce taken"; readonly relayer: number; readonly instead: boolean }
  | { readonly kind: "price"; readonly gwei: number }
  | { readonly kind: "role"; readonly given: boolean }
  | { readonly kind: "block fails" };

/** Few, so that they come again: some documents with several hashes, and some records that read alike. */
const RECORDS = 24;

function requestOf(record: number): ProofRequest {
  const hash = createHash("sha256")
    .update(`content ${record % 6}`)
    .digest();
  // "a1" at 7 and "a" at 17 make the same recorded text.
  const [documentId, timestamp] = (
    [
      ["a", 17],
      ["a1", 7],
      ["b", 7],
      ["c", 7],
    ] as const
  )[Math.floor(record / 6) % 4] ?? ["a", 17];
  return { documentId, hash, metadata: { timestamp } };
}

const relayer = fc.nat(1);
const record = fc.nat(RECORDS - 1);
const is = <Kind extends Step["kind"]>(kind: Kind) => fc.constant(kind);

export const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: is("post"), relayer, record }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: is("bulk"), relayer, records: fc.array(record, { minLength: 1, maxLength: 6 }) }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: is("wait"),
      milliseconds: fc.constantFrom(0, 0, 1, 50, 600, 600, 600, 5_000, 5_000, 16_000, 70_000),
    }),
  },
  { weight: 6, arbitrary: fc.record({ kind: is("mine") }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: is("kill"), relayer, afterSteps: fc.oneof(fc.constant(0), fc.nat(12), fc.nat(120)) }),
  },
  { weight: 4, arbitrary: fc.record({ kind: is("start"), relayer }) },
  { weight: 1, arbitrary: fc.record({ kind: is("stop"), relayer }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom("pause", "cut off"),
      relayer,
      // Of those the database ends the session before the end of the last two.
      milliseconds: fc.constantFrom(2_000, 12_000, 70_000),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: is("commit lost"), relayer }) },
  { weight: 1, arbitrary: fc.record({ kind: is("lock broken") }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: is("network"),
      fault: fc.constantFrom<Fault>("unreachable", "cut", "hanging", "silent", "busy", "refused"),
      of: fc.constantFrom("sends", "calls"),
      // None is the end of a fault; the most of them last until another takes their place.
      calls: fc.constantFrom(0, 1, 2, 4, 8, 1_000_000),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: is("disk"), statements: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: is("pool dropped") }) },
  { weight: 3, arbitrary: fc.record({ kind: is("node lags"), blocks: fc.nat(3) }) },
  { weight: 2, arbitrary: fc.record({ kind: is("nonce taken"), relayer, instead: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ kind: is("price"), gwei: fc.constantFrom(0, 1, 10, 100) }) },
  { weight: 2, arbitrary: fc.record({ kind: is("role"), given: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: is("block fails") }) },
);

export const setting: fc.Arbitrary<Setting> = fc.record({
  seed: fc.nat(),
  relayers: fc.constantFrom(1, 2),
  rules: fc.record({
    batchMaxAgeMilliseconds: fc.constantFrom(20, 1_000, 30_000),
    proofWaitMilliseconds: fc.constantFrom(0, 1_000, 30_000),
    maxInFlight: fc.constantFrom(1_000, 1_000, 8),
  }),
  blockPeriodMilliseconds: fc.constantFrom(undefined, undefined, 2_000),
  without: fc.subarray<Step["kind"]>(
    [
      ...["bulk", "kill", "stop", "network", "disk", "pool dropped", "node lags", "nonce taken", "price"],
      ...["role", "block fails", "pause", "cut off", "commit lost", "lock broken"],
    ] as const,
    { maxLength: 5 },
  ),
});

/** Lets a step happen. Only those that wait let time pass, so that several can happen at once. */
export async function take(step: Step, world: World): Promise<void> {
  if (world.setting.without.includes(step.kind)) return;
  world.log(`- ${JSON.stringify(step)}`);
  switch (step.kind) {
    case "post":
      return world.post(step.relayer, [requestOf(step.record)], false);
    case "bulk":
      return world.post(step.relayer, step.records.map(requestOf), true);
    case "wait":
      return world.wait(step.milliseconds);
    case "mine":
      return world.mine();
    case "kill":
      return world.kill(step.relayer, step.afterSteps);
    case "start":
      return world.start(step.relayer);
    case "stop":
      return world.stop(step.relayer);
    case "pause":
      return world.pause(step.relayer, step.milliseconds);
    case "cut off":
      return world.cut(step.relayer, step.milliseconds);
    case "commit lost":
      return world.loseCommit(step.relayer);
    case "lock broken":
      return world.breakLock();
    case "network":
      return world.network.disturb(step.fault, step.of, step.calls);
    case "disk":
      return world.disk.fail(step.statements);
    case "pool dropped":
      return world.chain.dropPool();
    case "node lags":
      world.chain.lag = step.blocks;
      return;
    case "nonce taken":
      return world.takeNonce(step.relayer, step.instead);
    case "price":
      world.chain.price = BigInt(step.gwei) * 10n ** 9n;
      return;
    case "role":
      world.chain.roleGiven = step.given;
      return;
    case "block fails":
      world.chain.blocksThatFail += 1;
  }
}
