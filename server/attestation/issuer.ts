import type { BundleSigner } from "../proofs/index.ts";
import type { StatementKey } from "./statement-key.ts";

/** The current signing keys. */
export interface IssuerSigner extends BundleSigner {
  readonly statementKey: StatementKey;
}

/** The public keys of one issuer key. */
export interface IssuerKey {
  /** Ed25519, 32 bytes: signs bundles. */
  readonly publicKey: Uint8Array;
  /** P-256, 65 bytes: signs statements. */
  readonly statementKey: Uint8Array;
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
