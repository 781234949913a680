import { resolve } from "node:path";
import type { ALGORITHMS, EnvironmentValues, EnvironmentVariables } from "./environment.ts";

/** A fault of a variable. */
export interface Fault {
  readonly path: string;
  readonly message: string;
}

/** TLS with a node or a signer: the client certificate, and how the peer is authenticated. */
export interface PeerTlsConfig {
  readonly client: CertificateFiles | undefined;
  /** PEM file. */
  readonly authority: string | undefined;
  readonly pins: readonly string[];
}

/** A certificate and its key, as PEM files. */
export interface CertificateFiles {
  readonly certificate: string;
  readonly key: string;
}

/** Source of the relayer's key. */
export type RelayerSource =
  | { readonly kind: "environment"; readonly key: string }
  | { readonly kind: "keystore"; readonly file: string; readonly passwordFile: string }
  | { readonly kind: "signer"; readonly url: string; readonly address: string; readonly tls: PeerTlsConfig };

/** Rules for bearer tokens. */
export interface TokenConfig {
  readonly key: { readonly kind: "file"; readonly path: string } | { readonly kind: "jwks"; readonly url: string };
  readonly algorithm: (typeof ALGORITHMS)[number];
  readonly issuer: string;
  readonly audience: string;
}

/** @param details Receives missing values and contradictions */
export function relayerSource(
  env: EnvironmentValues,
  variables: EnvironmentVariables,
  details: Fault[],
): RelayerSource | undefined {
  const { RELAYER_KEY: key, RELAYER_KEYSTORE_FILE: file, RELAYER_KEYSTORE_PASSWORD_FILE: passwordFile } = env;
  const { RELAYER_SIGNER_URL: url, RELAYER_ADDRESS: signer } = env;
  const pairs = {
    RELAYER_KEYSTORE_FILE: file,
    RELAYER_KEYSTORE_PASSWORD_FILE: passwordFile,
    RELAYER_SIGNER_URL: url,
    RELAYER_ADDRESS: signer,
  };
  for (const [one, other] of [
    ["RELAYER_KEYSTORE_FILE", "RELAYER_KEYSTORE_PASSWORD_FILE"],
    ["RELAYER_SIGNER_URL", "RELAYER_ADDRESS"],
  ] as const) {
    if (pairs[one] !== undefined && pairs[other] === undefined)
      details.push({ path: other, message: `is needed with ${one}` });
    if (pairs[one] === undefined && pairs[other] !== undefined)
      details.push({ path: one, message: `is needed with ${other}` });
  }
  const sources = Object.entries({ RELAYER_KEY: key, RELAYER_KEYSTORE_FILE: file, RELAYER_SIGNER_URL: url }).flatMap(
    ([name, value]) => (value === undefined ? [] : [name]),
  );
  const [first, ...others] = sources;
  for (const path of others) details.push({ path, message: `is set beside ${first}; one of them` });
  const tls = peerTlsConfig("RELAYER_SIGNER_TLS", env, variables, details);
  if (key !== undefined) return { kind: "environment", key };
  if (file !== undefined && passwordFile !== undefined)
    return { kind: "keystore", file: resolve(file), passwordFile: resolve(passwordFile) };
  return url !== undefined && signer !== undefined ? { kind: "signer", url, address: signer, tls } : undefined;
}

/** Peers with TLS variables, by prefix of the variables. Their address must be one with TLS. */
const PEERS = {
  RPC_TLS: {
    address: "RPC_URL",
    secure: /^https:/,
    message: "is for a node whose RPC_URL is an https address",
  },
  RELAYER_SIGNER_TLS: {
    address: "RELAYER_SIGNER_URL",
    secure: /^https:/,
    message: "is for a signer whose RELAYER_SIGNER_URL is an https address",
  },
} as const;

/** @param details Receives missing values and contradictions */
export function peerTlsConfig(
  prefix: keyof typeof PEERS,
  env: EnvironmentValues,
  variables: EnvironmentVariables,
  details: Fault[],
): PeerTlsConfig {
  const { address, secure, message } = PEERS[prefix];
  const addresses = env[address] ?? [];
  if (![addresses].flat().some((each) => secure.test(each))) {
    for (const name of [`${prefix}_CERT_FILE`, `${prefix}_KEY_FILE`, `${prefix}_CA_FILE`, `${prefix}_PIN`] as const) {
      if (variables[name] !== undefined) details.push({ path: name, message });
    }
  }
  const authority = env[`${prefix}_CA_FILE`];
  return {
    client: certificateFiles(prefix, env[`${prefix}_CERT_FILE`], env[`${prefix}_KEY_FILE`], details),
    authority: authority === undefined ? undefined : resolve(authority),
    pins: env[`${prefix}_PIN`],
  };
}

/** @param details Receives the fault when one file is set without the other */
export function certificateFiles(
  prefix: "TLS" | keyof typeof PEERS,
  certificate: string | undefined,
  key: string | undefined,
  details: Fault[],
): CertificateFiles | undefined {
  if (certificate !== undefined && key !== undefined) return { certificate: resolve(certificate), key: resolve(key) };
  if (certificate !== undefined)
    details.push({ path: `${prefix}_KEY_FILE`, message: `is needed with ${prefix}_CERT_FILE` });
  if (key !== undefined) details.push({ path: `${prefix}_CERT_FILE`, message: `is needed with ${prefix}_KEY_FILE` });
  return undefined;
}

/** @param details Receives missing values and contradictions */
export function tokenConfig(env: EnvironmentValues, details: Fault[]): TokenConfig | undefined {
  const { JWT_PUBLIC_KEY_FILE: file, JWT_JWKS_URL: url, JWT_ISSUER: issuer } = env;
  if (file !== undefined && url !== undefined)
    details.push({ path: "JWT_JWKS_URL", message: "is set beside JWT_PUBLIC_KEY_FILE; one of them" });
  if (file === undefined && url === undefined)
    details.push({ path: "JWT_PUBLIC_KEY_FILE", message: "or JWT_JWKS_URL is needed with API_AUTH=jwt" });
  if (issuer === undefined) details.push({ path: "JWT_ISSUER", message: "is needed with API_AUTH=jwt" });
  const key =
    file !== undefined
      ? ({ kind: "file", path: resolve(file) } as const)
      : url !== undefined
        ? ({ kind: "jwks", url } as const)
        : undefined;
  if (key === undefined || issuer === undefined) return undefined;
  return { key, algorithm: env.JWT_ALGORITHM, issuer, audience: env.JWT_AUDIENCE };
}
