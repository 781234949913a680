import type { KeyObject } from "node:crypto";
import type { BundleSigner } from "./signed-bundle.ts";

/** The key that signs at present. */
export interface IssuerSigner extends BundleSigner {
  /** The private key, for whoever signs in a form of its own. */
  readonly key: KeyObject;
}

/** A public key of this installation. */
export interface IssuerKey {
  readonly publicKey: Uint8Array;
  /** ISO 8601. */
  readonly createdAt: string;
  /** ISO 8601; `undefined` for the key that signs. */
  readonly retiredAt: string | undefined;
}

/** Who signs what this installation states. Keys change while it runs: ask each time. */
export interface Issuer {
  signer(): Promise<IssuerSigner>;
  /** All keys that ever signed, the newest first. */
  keys(): Promise<readonly IssuerKey[]>;
}
