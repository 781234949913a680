import type { KeyObject } from "node:crypto";
import type { BundleSigner } from "./signed-bundle.ts";

/** The current signing key. */
export interface IssuerSigner extends BundleSigner {
  /** The private key, for other signature formats. */
  readonly key: KeyObject;
}

/** A public key of this installation. */
export interface IssuerKey {
  readonly publicKey: Uint8Array;
  /** ISO 8601. */
  readonly createdAt: string;
  /** ISO 8601; `undefined` for the current key. */
  readonly retiredAt: string | undefined;
}

/**
 * The issuer of this installation's signed statements. Keys change at run time: fetch the signer for each signature.
 */
export interface Issuer {
  signer(): Promise<IssuerSigner>;
  /** Returns all current and retired keys, the newest first. */
  keys(): Promise<readonly IssuerKey[]>;
}
