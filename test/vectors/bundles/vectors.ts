import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { getBytes, id } from "ethers";
import { signingKey } from "../../../server/issuer/signing-key.ts";
import type { Code, Outcome } from "../../../verifier/verify.mjs";

/** A bundle that has to be verified for ever. */
export interface BundleVector {
  readonly name: string;
  readonly path: string;
  /** With the newline that the file ends with. */
  readonly text: string;
  /** Whether its block has commit seals of the vectors' validators. */
  readonly isSealed: boolean;
}

const read = (name: string): string => readFileSync(join(import.meta.dirname, name), "utf8");

/** What all of them are about. */
export const DOCUMENT_PATH = join(import.meta.dirname, "document.txt");
export const DOCUMENT_HASH = createHash("sha256").update(read("document.txt")).digest("hex");

/** Who signed them. */
export const VECTOR_KEY = signingKey(getBytes(id("the issuer of the vectors")));
/** The key's id. */
export const TRUSTED_KEY = read("trusted-key.txt").trim();

export const VALIDATORS_PATH = join(import.meta.dirname, "validators.txt");
export const VALIDATORS = read("validators.txt").trim().split("\n");

export const BUNDLE_VECTORS: readonly BundleVector[] = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith(".bundle.json"))
  .sort()
  .map((file) => ({
    name: file.slice(0, -".bundle.json".length),
    path: join(import.meta.dirname, file),
    text: read(file),
    isSealed: /^(ibft2|qbft)/.test(file),
  }));

/** A case of the conformance suite: what a verifier has to say of a bundle. */
export interface BundleCase {
  readonly name: string;
  /** A file of this folder, as the others. */
  readonly bundle: string;
  readonly document: string;
  readonly trust_key?: string;
  readonly validators?: string;
  readonly contract?: string;
  readonly outcome: Outcome;
  readonly code: Code | null;
}

export const BUNDLE_CASES: readonly BundleCase[] = JSON.parse(read("cases.json"));

/** Returns the arguments of a case for a verifier's command line. */
export function argumentsOf({ bundle, document, trust_key: key, validators, contract }: BundleCase): string[] {
  const at = (file: string): string => join(import.meta.dirname, file);
  return [
    at(bundle),
    at(document),
    ...(key === undefined ? [] : ["--trust-key", key]),
    ...(validators === undefined ? [] : ["--validators", at(validators)]),
    ...(contract === undefined ? [] : ["--contract", contract]),
  ];
}
