import { join, resolve } from "node:path";
import type { Fault, PeerTlsConfig, RelayerSource } from "./credentials.ts";
import type { EnvironmentValues, EnvironmentVariables } from "./environment.ts";

/** The chain to use: the embedded one, or that of a node. */
export type NodeConfig =
  | {
      readonly kind: "embedded";
      readonly port: number;
      /** Whether the port takes transactions of everybody. */
      readonly portSends: boolean;
      readonly blockPeriodSeconds: number;
      readonly directory: string;
    }
  | { readonly kind: "remote"; readonly urls: readonly [string, ...string[]]; readonly tls: PeerTlsConfig };

/** Session rules to write into the contract; `undefined` keeps what the contract has. */
export interface SessionRulesConfig {
  readonly lifetime: number | undefined;
  readonly minimumToExtend: number | undefined;
}

/** The chain, and the keys and rules for its contracts. */
export interface ChainConfig {
  /** Folder of the addresses of the contracts and of generated keys. */
  readonly dataDirectory: string;
  readonly node: NodeConfig;
  readonly relayer: RelayerSource | undefined;
  readonly administratorKey: string | undefined;
  readonly fees: {
    readonly mode: "auto" | "legacy" | "eip1559";
    /** Fixed price of legacy transactions, in wei. */
    readonly gasPrice: bigint | undefined;
    /** Most that a unit of gas may cost, in wei. */
    readonly maxFee: bigint;
  };
  readonly sessionRules: SessionRulesConfig;
  /** How long another relayer on the same database may leave its work undone. */
  readonly takeOverMilliseconds: number;
  /** Names of block proposers, by lower-case address. */
  readonly validatorNames: ReadonlyMap<string, string>;
  /** List of the network's nodes. */
  readonly nodeListFile: string | undefined;
  readonly nodeLogFile: string | undefined;
  /** When a block counts as final. */
  readonly finality: number | "finalized";
  /** Request timeout of the BFT network in seconds; `undefined` learns it from the blocks. */
  readonly requestTimeout: number | undefined;
  /** Maximum difference of clocks: blocks ahead of this machine's clock, and steps of the clock. */
  readonly clockLimitMilliseconds: number;
}

/** Builds the chain's group of the configuration from checked variables. */
export function chainConfig(
  env: EnvironmentValues,
  dataDirectory: string,
  relayer: RelayerSource | undefined,
  tls: PeerTlsConfig,
): ChainConfig {
  return {
    dataDirectory,
    node:
      env.RPC_URL === undefined
        ? {
            kind: "embedded",
            port: env.CHAIN_PORT,
            portSends: env.CHAIN_PORT_SEND === "on",
            blockPeriodSeconds: env.CHAIN_BLOCK_PERIOD,
            directory: join(dataDirectory, "chain"),
          }
        : { kind: "remote", urls: env.RPC_URL, tls },
    relayer,
    administratorKey: env.ADMIN_KEY,
    fees: {
      mode: env.FEE_MODE,
      gasPrice: env.GAS_PRICE === undefined ? undefined : BigInt(env.GAS_PRICE),
      maxFee: BigInt(env.MAX_FEE),
    },
    sessionRules: { lifetime: env.SESSION_LIFETIME, minimumToExtend: env.SESSION_MINIMUM_TO_EXTEND },
    takeOverMilliseconds: env.TAKEOVER_AFTER * 1000,
    validatorNames: env.VALIDATOR_NAMES,
    nodeListFile: env.NODE_LIST_FILE === undefined ? undefined : resolve(env.NODE_LIST_FILE),
    clockLimitMilliseconds: env.CLOCK_SKEW_LIMIT * 1000,
    finality: env.CONFIRMATIONS,
    requestTimeout: env.CONSENSUS_REQUEST_TIMEOUT,
    nodeLogFile: env.NODE_LOG_FILE === undefined ? undefined : resolve(env.NODE_LOG_FILE),
  };
}

/**
 * Adds the contradictions between the chain's variables to `faults`.
 * @param lacksRelayer Whether a relayer's key is required but missing
 */
export function checkChain(
  env: EnvironmentValues,
  variables: EnvironmentVariables,
  lacksRelayer: boolean,
  faults: Fault[],
): void {
  if (env.RPC_URL !== undefined) {
    if (lacksRelayer) {
      faults.push({
        path: "RELAYER_KEY",
        message: "is needed with RPC_URL, or RELAYER_KEYSTORE_FILE, or RELAYER_SIGNER_URL",
      });
    }
    for (const path of ["CHAIN_PORT", "CHAIN_PORT_SEND", "CHAIN_BLOCK_PERIOD"] as const) {
      if (variables[path] !== undefined)
        faults.push({ path, message: "is for the embedded chain, but RPC_URL is set" });
    }
  } else {
    for (const path of ["NODE_LIST_FILE", "CONSENSUS_REQUEST_TIMEOUT", "CONFIRMATIONS"] as const) {
      if (variables[path] !== undefined)
        faults.push({ path, message: "is for a network's node, but RPC_URL is not set" });
    }
  }
  if (env.RELAYER_KEY !== undefined && env.RELAYER_KEY.toLowerCase() === env.ADMIN_KEY?.toLowerCase()) {
    faults.push({
      path: "ADMIN_KEY",
      message: "is the same key as RELAYER_KEY: each needs its own nonces and rights",
    });
  }
  if (env.FEE_MODE === "eip1559" && env.GAS_PRICE !== undefined)
    faults.push({ path: "GAS_PRICE", message: "is for legacy transactions, but FEE_MODE is eip1559" });
  const { SESSION_LIFETIME: lifetime, SESSION_MINIMUM_TO_EXTEND: minimum } = env;
  if (lifetime !== undefined && minimum !== undefined && minimum >= lifetime) {
    faults.push({ path: "SESSION_MINIMUM_TO_EXTEND", message: "is not less than SESSION_LIFETIME" });
  }
}
