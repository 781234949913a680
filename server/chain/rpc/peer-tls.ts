import { readFileSync } from "node:fs";
import { createSecureContext, type ConnectionOptions } from "node:tls";
import { SealbookError } from "../../errors.ts";

/** The peer of a connection: its name in messages, and the variables with its files. */
export interface TlsPeer {
  readonly name: string;
  readonly certificate: string;
  readonly key: string;
  readonly authority: string;
}

export const NODE = configured("node", "RPC_TLS");
export const SIGNER = configured("signer", "RPC_TLS");

function configured(name: string, prefix: string): TlsPeer {
  return {
    name,
    certificate: `${prefix}_CERT_FILE`,
    key: `${prefix}_KEY_FILE`,
    authority: `${prefix}_CA_FILE`,
  };
}

/** TLS settings of a peer; without any of them, Node's defaults apply. */
export interface PeerTls {
  /** PEM files of the client certificate and its key. */
  readonly client?: { readonly certificate: string; readonly key: string } | undefined;
  /** PEM file of the authorities that are trusted instead of the default ones. */
  readonly authority?: string | undefined;
}

/** Options of connections to the peer. */
export type PeerTlsOptions = Pick<ConnectionOptions, "cert" | "key" | "ca" | "minVersion">;

/** The peer's address responds, but a trusted connection cannot be made. */
export class PeerTlsError extends Error {}

/** OpenSSL's codes of a certificate chain without a trusted authority. */
const UNKNOWN_AUTHORITY = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

/**
 * Reads the files.
 * @throws SealbookError `config_invalid` with the variable of the unusable file
 */
export function peerTlsOptions({ client, authority }: PeerTls, peer: TlsPeer): PeerTlsOptions {
  const options: PeerTlsOptions = {
    minVersion: "TLSv1.2",
    ...(authority === undefined ? {} : { ca: read(peer.authority, authority) }),
    ...(client === undefined
      ? {}
      : { cert: read(peer.certificate, client.certificate), key: read(peer.key, client.key) }),
  };
  try {
    createSecureContext(options);
  } catch (cause) {
    throw unusable(`${peer.certificate}, ${peer.key} and ${peer.authority}`, cause);
  }
  return options;
}

/** Explains an error of TLS; returns any other error as it is. */
export function explainTls(error: Error, peer: TlsPeer): Error {
  const code = "code" in error ? String(error.code) : "";
  const reason = reasonOf(code, error, peer);
  return reason === undefined ? error : new PeerTlsError(reason, { cause: error });
}

function reasonOf(
  code: string,
  { message }: Error,
  { name, certificate, key, authority }: TlsPeer,
): string | undefined {
  if (UNKNOWN_AUTHORITY.has(code))
    return `the ${name}'s certificate is from an unknown authority; the known ones are in ${authority}`;
  if (code === "CERT_HAS_EXPIRED") return `the ${name}'s certificate has expired`;
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") return `the ${name}'s certificate is for another host: ${message}`;
  if (/^ERR_SSL_.*ALERT_CERTIFICATE_REQUIRED$|^ERR_SSL_.*ALERT_HANDSHAKE_FAILURE$/.test(code)) {
    return `the ${name} requires a client certificate; set ${certificate} and ${key}`;
  }
  if (
    /^ERR_SSL_.*ALERT_(?:BAD_CERTIFICATE|UNKNOWN_CA|CERTIFICATE_\w+|UNSUPPORTED_CERTIFICATE|ACCESS_DENIED)$/.test(code)
  ) {
    return `the ${name} rejects the client certificate ${certificate}`;
  }
  return code.startsWith("ERR_SSL_") ? `no TLS connection to the ${name}: ${message}` : undefined;
}

function read(name: string, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw unusable(name, cause);
  }
}

function unusable(names: string, cause: unknown): SealbookError {
  return new SealbookError("config_invalid", `${names}: ${cause instanceof Error ? cause.message : String(cause)}`, {
    cause,
  });
}
