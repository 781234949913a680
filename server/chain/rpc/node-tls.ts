import { readFileSync } from "node:fs";
import { checkServerIdentity, createSecureContext, type ConnectionOptions } from "node:tls";
import { SealbookError } from "../../errors.ts";

/** What a node is shown over TLS, and by what it is known; without any of it, as usual. */
export interface NodeTls {
  /** PEM files of the certificate that is shown to the node, and of its key. */
  readonly client?: { readonly certificate: string; readonly key: string } | undefined;
  /** PEM file of the authorities that may have issued the node's certificate, instead of the usual ones. */
  readonly authority?: string | undefined;
  /** SHA-256 of the certificates that the node may have, hexadecimal with colons; none allows all. */
  readonly pins: readonly string[];
}

/** How connections to the node are made. */
export type NodeTlsOptions = Pick<ConnectionOptions, "cert" | "key" | "ca" | "checkServerIdentity" | "minVersion">;

/** There is somebody at the node's address, but no connection that could be trusted. */
export class NodeTlsError extends Error {}

/** What OpenSSL calls a chain of certificates that leads to nobody known. */
const UNKNOWN_AUTHORITY = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

/**
 * Reads the files.
 * @throws SealbookError `config_invalid` naming the variable whose file is of no use
 */
export function nodeTlsOptions({ client, authority, pins }: NodeTls): NodeTlsOptions {
  const options: NodeTlsOptions = {
    minVersion: "TLSv1.2",
    ...(authority === undefined ? {} : { ca: read("RPC_TLS_CA_FILE", authority) }),
    ...(client === undefined
      ? {}
      : { cert: read("RPC_TLS_CERT_FILE", client.certificate), key: read("RPC_TLS_KEY_FILE", client.key) }),
  };
  try {
    createSecureContext(options);
  } catch (cause) {
    throw unusable("RPC_TLS_CERT_FILE, RPC_TLS_KEY_FILE and RPC_TLS_CA_FILE", cause);
  }
  if (pins.length === 0) return options;
  return {
    ...options,
    checkServerIdentity: (host, certificate) =>
      checkServerIdentity(host, certificate) ??
      (pins.includes(certificate.fingerprint256)
        ? undefined
        : new NodeTlsError(`the node's certificate is not among those of RPC_TLS_PIN; it is ${certificate.fingerprint256}`)),
  };
}

/** Says what failed where it was TLS; anything else stays as it is. */
export function explainTls(error: Error): Error {
  const code = "code" in error ? String(error.code) : "";
  const reason = reasonOf(code, error);
  return reason === undefined ? error : new NodeTlsError(reason, { cause: error });
}

function reasonOf(code: string, { message }: Error): string | undefined {
  if (UNKNOWN_AUTHORITY.has(code)) return "the node's certificate is of an authority that is not known: RPC_TLS_CA_FILE names those that are";
  if (code === "CERT_HAS_EXPIRED") return "the node's certificate has expired";
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") return `the node's certificate is for another host: ${message}`;
  if (/^ERR_SSL_.*ALERT_CERTIFICATE_REQUIRED$|^ERR_SSL_.*ALERT_HANDSHAKE_FAILURE$/.test(code)) {
    return "the node wants to be shown a certificate: RPC_TLS_CERT_FILE and RPC_TLS_KEY_FILE name it";
  }
  if (/^ERR_SSL_.*ALERT_(?:BAD_CERTIFICATE|UNKNOWN_CA|CERTIFICATE_\w+|UNSUPPORTED_CERTIFICATE|ACCESS_DENIED)$/.test(code)) {
    return "the node does not take the certificate of RPC_TLS_CERT_FILE";
  }
  return code.startsWith("ERR_SSL_") ? `no TLS connection to the node comes about: ${message}` : undefined;
}

function read(variable: string, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw unusable(variable, cause);
  }
}

function unusable(variables: string, cause: unknown): SealbookError {
  return new SealbookError("config_invalid", `${variables}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
}
