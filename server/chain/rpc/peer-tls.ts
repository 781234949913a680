import { readFileSync } from "node:fs";
import { createSecureContext, type ConnectionOptions } from "node:tls";
import { NodeFault } from "./node-error.ts";
import { reasonOf, SealbookError } from "../../errors.ts";

/** The peer of a connection: its name in messages, and the variables with its files. */
export interface TlsPeer {
  readonly name: string;
  readonly certificate: string;
  readonly key: string;
  readonly authority: string;
}

const FILES = { certificate: "RPC_TLS_CERT_FILE", key: "RPC_TLS_KEY_FILE", authority: "RPC_TLS_CA_FILE" };
export const NODE: TlsPeer = { name: "node", ...FILES };
export const SIGNER: TlsPeer = { name: "signer", ...FILES };

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
export class PeerTlsError extends NodeFault {}

/** Codes of errors of TLS: of Node, of OpenSSL, and of a certificate that does not count. */
const TLS_CODE = /^ERR_(?:SSL|TLS)_|^CERT_|^UNABLE_TO_|SELF_SIGNED_CERT/;

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

/** Names the peer and its files in an error of TLS; returns any other error as it is. */
export function explainTls(error: Error, { name, authority, certificate }: TlsPeer): Error {
  if (!("code" in error) || !TLS_CODE.test(String(error.code))) return error;
  // The message of OpenSSL's errors has the place in its source as well.
  const reason = "reason" in error && typeof error.reason === "string" ? error.reason : error.message;
  return new PeerTlsError(`no TLS connection to the ${name} (${authority}, ${certificate}): ${reason}`, {
    cause: error,
  });
}

function read(name: string, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw unusable(name, cause);
  }
}

function unusable(names: string, cause: unknown): SealbookError {
  return new SealbookError("config_invalid", `${names}: ${reasonOf(cause)}`, { cause });
}
