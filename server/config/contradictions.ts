import type { EnvironmentValues, EnvironmentVariables } from "./environment.ts";

/** A fault of a variable. */
export interface Fault {
  readonly path: string;
  readonly message: string;
}

type Name = keyof EnvironmentVariables;

/** Pairs of variables that are set together or not at all. */
const PAIRS = [
  ["TLS_CERT_FILE", "TLS_KEY_FILE"],
  ["RPC_TLS_CERT_FILE", "RPC_TLS_KEY_FILE"],
  ["RELAYER_KEYSTORE_FILE", "RELAYER_KEYSTORE_PASSWORD_FILE"],
  ["RELAYER_SIGNER_URL", "RELAYER_ADDRESS"],
  ["TILE_URL", "TILE_ATTRIBUTION"],
  ["RELAYERS", "RELAYER_ID"],
] as const satisfies readonly (readonly [Name, Name])[];

const RELAYER_SOURCES = ["RELAYER_KEY", "RELAYER_KEYSTORE_FILE", "RELAYER_SIGNER_URL"] as const;

/**
 * Returns the contradictions between variables that are valid on their own.
 * @param variables The variables that are set
 * @param relays Whether a relayer's key is required
 */
export function contradictions(env: EnvironmentValues, variables: EnvironmentVariables, relays: boolean): Fault[] {
  const faults: Fault[] = [];
  const isSet = (name: Name): boolean => variables[name] !== undefined;
  const rule = (isBroken: boolean, path: Name, message: string): void => {
    if (isBroken) faults.push({ path, message });
  };
  /** Variables that have an effect only under a condition. */
  const only = (applies: boolean, names: readonly Name[], message: string): void => {
    if (!applies) for (const path of names.filter(isSet)) faults.push({ path, message });
  };

  for (const [one, other] of PAIRS) {
    rule(isSet(one) && !isSet(other), other, `is needed with ${one}`);
    rule(!isSet(one) && isSet(other), one, `is needed with ${other}`);
  }
  rule(
    env.RELAYER_ID !== undefined && env.RELAYERS?.has(env.RELAYER_ID) === false,
    "RELAYER_ID",
    "is none of the ids in RELAYERS",
  );
  only(env.DATABASE_URL?.kind === "postgres", ["RELAYERS"], "is for relayers of one PostgreSQL database");
  const [source, ...further] = RELAYER_SOURCES.filter(isSet);
  for (const path of further) faults.push({ path, message: `is set beside ${source}; one of them` });
  rule(
    relays && isSet("RPC_URL") && source === undefined,
    "RELAYER_KEY",
    "is needed with RPC_URL, or RELAYER_KEYSTORE_FILE, or RELAYER_SIGNER_URL",
  );
  rule(
    isSet("ADMIN_KEY") && env.ADMIN_KEY?.toLowerCase() === env.RELAYER_KEY?.toLowerCase(),
    "ADMIN_KEY",
    "is the same key as RELAYER_KEY: each needs its own nonces and rights",
  );
  only(
    !isSet("RPC_URL"),
    ["CHAIN_PORT", "CHAIN_PORT_SEND", "CHAIN_BLOCK_PERIOD"],
    "is for the embedded chain, but RPC_URL is set",
  );
  only(isSet("RPC_URL"), ["NODE_LIST_FILE", "CONFIRMATIONS"], "is for a network's node, but RPC_URL is not set");
  only(
    [...(env.RPC_URL ?? []), env.RELAYER_SIGNER_URL].some((url) => url?.startsWith("https:")),
    ["RPC_TLS_CERT_FILE", "RPC_TLS_KEY_FILE", "RPC_TLS_CA_FILE"],
    "is for a node or signer whose RPC_URL or RELAYER_SIGNER_URL is an https address",
  );
  rule(
    env.FEE_MODE === "eip1559" && isSet("GAS_PRICE"),
    "GAS_PRICE",
    "is for legacy transactions, but FEE_MODE is eip1559",
  );
  const usesTokens = env.API_AUTH.includes("jwt");
  rule(usesTokens && !isSet("JWT_KEY"), "JWT_KEY", "is needed with API_AUTH=jwt");
  rule(usesTokens && !isSet("JWT_ISSUER"), "JWT_ISSUER", "is needed with API_AUTH=jwt");
  only(
    isSet("TELEGRAM_TOKEN"),
    ["TELEGRAM_API_URL", "TELEGRAM_SENSOR_NETWORKS"],
    "is for the bot, but TELEGRAM_TOKEN is not set",
  );
  return faults;
}
