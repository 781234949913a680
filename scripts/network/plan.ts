import { SealbookError } from "../../server/errors.ts";
import { gasLimitFor } from "./design-load.ts";
import type { Plan } from "./network-file.ts";

/** Fewer cannot bear that one of them fails or lies. */
export const LEAST_VALIDATORS = 4;
const LONGEST_PERIOD_SECONDS = 60;
/** What networks that are far apart, and the times that proofs are promised to take, are made for. */
const USUAL_PERIOD_SECONDS = { least: 3, most: 12 } as const;

/** What is decided of a network, where that is not left to its defaults. */
export interface PlanOptions {
  /** As many as there are hosts, when it is said. */
  readonly validators?: number;
  /** Seconds, as all times here. */
  readonly blockTime: number;
  readonly consensus: Plan["consensus"];
  readonly chainId: number;
  readonly emptyBlockTime?: number;
  /** Twice the block time, unless it is said. */
  readonly requestTimeout?: number;
  /** What the design load takes, unless it is said. */
  readonly gasLimit?: number;
}

/** What speaks against a block time that is taken all the same, as a network for trials may have it. */
export function doubtOf({ blockPeriodSeconds }: Plan): string | undefined {
  const { least, most } = USUAL_PERIOD_SECONDS;
  if (blockPeriodSeconds >= least && blockPeriodSeconds <= most) return undefined;
  return (
    `blocks come every ${blockPeriodSeconds} s: between data centres use ${least} to ${most} s, others are for ` +
    "trials"
  );
}

/** @throws SealbookError `malformed` for numbers that do not go together */
export function planOf(options: PlanOptions, hosts: number): Plan {
  const { validators = hosts, blockTime, consensus, chainId, emptyBlockTime, requestTimeout = 2 * blockTime } = options;
  const refuse = (why: string): never => {
    throw new SealbookError("malformed", why);
  };
  if (validators !== hosts) refuse(`--validators says ${validators}, and the hosts file has ${hosts} hosts`);
  if (hosts < LEAST_VALIDATORS)
    refuse(`${hosts} validators are too few: with fewer than ${LEAST_VALIDATORS} none of them may fail`);
  if (blockTime > LONGEST_PERIOD_SECONDS) refuse(`--block-time is more than ${LONGEST_PERIOD_SECONDS} seconds`);
  if (requestTimeout <= blockTime)
    refuse("--request-timeout is not more than --block-time: no block would come in time");
  if (emptyBlockTime !== undefined && consensus !== "qbft") refuse("--empty-block-time is for qbft");
  if (emptyBlockTime !== undefined && emptyBlockTime < blockTime)
    refuse("--empty-block-time is less than --block-time");
  return {
    consensus,
    chainId,
    blockPeriodSeconds: blockTime,
    ...(emptyBlockTime === undefined ? {} : { emptyBlockPeriodSeconds: emptyBlockTime }),
    requestTimeoutSeconds: requestTimeout,
    gasLimit: options.gasLimit ?? gasLimitFor(blockTime),
  };
}
