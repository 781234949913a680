import { SealbookError } from "../server/errors.ts";
import type { Plan } from "./network-file.ts";

/** Design load per second: records, and hashes that share a transaction with no others. */
const RECORDS_PER_SECOND = 100;
const HASHES_PER_SECOND = 100;
/** Gas of a whole transaction, rounded up: `EventTable.insert` of 425 bytes and `ProofAnchor.anchor`. */
const RECORD_GAS = 80_000;
const HASH_GAS = 50_000;
const MILLION = 1_000_000;
/** Minimum; a deployment of the contracts fits several times. */
const LEAST_GAS = 30 * MILLION;

/** Computes the gas limit of a block, so that all transactions of a block period fit. */
export function gasLimitFor(blockPeriodSeconds: number): number {
  const gas = blockPeriodSeconds * (RECORDS_PER_SECOND * RECORD_GAS + HASHES_PER_SECOND * HASH_GAS);
  return Math.max(LEAST_GAS, Math.ceil(gas / MILLION) * MILLION);
}

/** Minimum number of validators that tolerates one faulty or malicious validator. */
export const LEAST_VALIDATORS = 4;
const LONGEST_PERIOD_SECONDS = 60;
/** Block periods suited to networks across distant sites and to the documented anchoring times. */
const USUAL_PERIOD_SECONDS = { least: 3, most: 12 } as const;

/** Options of a network without their defaults. */
/** Relayers report a network whose newest block is two minutes old. */
const MOST_EMPTY_SECONDS = 60;

export interface PlanOptions {
  /** Default: the number of hosts. */
  readonly validators?: number;
  /** Seconds, like all times here. */
  readonly blockTime: number;
  readonly consensus: Plan["consensus"];
  /** Default: that of the existing network, else a random one. */
  readonly chainId?: number;
  readonly emptyBlockTime?: number;
  /** Default: twice the block time. */
  readonly requestTimeout?: number;
  /** Default: the gas of the design load. */
  readonly gasLimit?: number;
}

/** A plan whose chain id may be left to the network. */
export type WishedPlan = Omit<Plan, "engine" | "chainId"> & Partial<Pick<Plan, "chainId">>;

/** Returns a warning about a block time that is accepted but unusual, as in a test network. */
export function doubtOf({ blockPeriodSeconds }: Pick<Plan, "blockPeriodSeconds">): string | undefined {
  const { least, most } = USUAL_PERIOD_SECONDS;
  if (blockPeriodSeconds >= least && blockPeriodSeconds <= most) return undefined;
  return (
    `blocks come every ${blockPeriodSeconds} s: between data centres use ${least} to ${most} s, others are for ` +
    "trials"
  );
}

/**
 * @returns The plan, without a chain id when none is wished
 * @throws SealbookError `malformed` for inconsistent numbers
 */
export function planOf(options: PlanOptions, hosts: number): WishedPlan {
  const { validators = hosts, blockTime, consensus, chainId, emptyBlockTime, requestTimeout = 2 * blockTime } = options;
  const refuse = (why: string): never => {
    throw new SealbookError("malformed", why);
  };
  if (validators !== hosts) refuse(`--validators is ${validators}, but the hosts file has ${hosts} hosts`);
  if (hosts < LEAST_VALIDATORS)
    refuse(`${hosts} validators are too few: with fewer than ${LEAST_VALIDATORS} none of them may fail`);
  if (blockTime > LONGEST_PERIOD_SECONDS) refuse(`--block-time is more than ${LONGEST_PERIOD_SECONDS} seconds`);
  if (requestTimeout <= blockTime)
    refuse("--request-timeout is not more than --block-time: no block would come in time");
  if (emptyBlockTime !== undefined && consensus !== "qbft") refuse("--empty-block-time is for qbft");
  if (emptyBlockTime !== undefined && emptyBlockTime > MOST_EMPTY_SECONDS)
    refuse(`--empty-block-time is at most ${MOST_EMPTY_SECONDS}: later, relayers report that there are no blocks`);
  if (emptyBlockTime !== undefined && emptyBlockTime < blockTime)
    refuse("--empty-block-time is less than --block-time");
  return {
    consensus,
    ...(chainId === undefined ? {} : { chainId }),
    blockPeriodSeconds: blockTime,
    ...(emptyBlockTime === undefined ? {} : { emptyBlockPeriodSeconds: emptyBlockTime }),
    requestTimeoutSeconds: requestTimeout,
    gasLimit: options.gasLimit ?? gasLimitFor(blockTime),
  };
}
