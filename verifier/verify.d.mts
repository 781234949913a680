// Types of verify.mjs, which is plain JavaScript.

/** What a verification says; see docs/proof-format.md. */
export type Outcome = "verified" | "not_verified" | "undetermined";

/** The codes of failed checks, each with its outcome. */
export const CODES: Readonly<Record<Code, Exclude<Outcome, "verified">>>;
export type Code =
  | "format_invalid"
  | "signature_invalid"
  | "key_not_trusted"
  | "document_differs"
  | "record_invalid"
  | "batch_invalid"
  | "header_invalid"
  | "transaction_invalid"
  | "receipt_invalid"
  | "contract_differs"
  | "validators_differ"
  | "seals_invalid"
  | "seals_too_few"
  | "seals_absent"
  | "node_differs"
  | "node_other_chain"
  | "node_lacks_block"
  | "node_unavailable"
  | "nothing_trusted"
  | "statement_differs"
  | "bundle_differs"
  | "bundle_missing";

export class VerificationError extends Error {
  readonly code?: Code;
}

type RlpItem = Uint8Array | RlpItem[];

export function toHex(bytes: Uint8Array): string;
export function fromHex(hex: string): Uint8Array;
export function sha256(bytes: Uint8Array): Promise<Uint8Array>;
export function keccak256(bytes: Uint8Array): Uint8Array;
export function decodeRlp(bytes: Uint8Array): RlpItem;
export function encodeRlp(item: RlpItem): Uint8Array;
export function provenValue(root: Uint8Array, key: Uint8Array, proof: readonly Uint8Array[]): Uint8Array;
export function recoverAddress(digest: Uint8Array, signature: Uint8Array): string;
export function leafOf(recordHash: Uint8Array): Uint8Array;
export function rootOf(leaf: Uint8Array, path: readonly Uint8Array[]): Uint8Array;
export function pathLength(index: number, size: number): number;
export function canonicalJson(value: unknown): string;
export function parseValidators(list: string): string[];
export function signedBytes(bundle: { readonly signature: object }): Uint8Array;
/** Returns the text of a file: UTF-8, without a byte order mark and the white space around it. */
export function fileText(content: string | Uint8Array): string;
export function printable(untrusted: string): string;

/** Outcome of a check. */
export type Step = { readonly step: string; readonly title: string } & (
  | { readonly ok: true; readonly proves: string; readonly assumes: string }
  | { readonly ok: false; readonly code: Code; readonly reason: string }
);

/** A verification that a check ended. */
interface Failed {
  readonly ok: false;
  readonly outcome: Exclude<Outcome, "verified">;
  readonly code: Code;
  readonly steps: readonly Step[];
}

/** The block that proves a document. */
export interface ProvingBlock {
  readonly number: string;
  /** For people, UTC. */
  readonly time: string;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly chainId: number;
}

/** Trusted inputs; each adds a check. */
export interface VerifyOptions {
  readonly trustedKey?: string;
  readonly contract?: string;
  readonly validators?: readonly string[];
  readonly node?: (method: string, parameters: readonly unknown[]) => Promise<unknown>;
}

export type Level = "signature" | "node" | "validators";

export type Result =
  | (Failed & { readonly level: Level })
  | {
      readonly ok: true;
      readonly outcome: "verified";
      readonly level: Level;
      readonly steps: readonly Step[];
      readonly documentId: string;
      readonly block: ProvingBlock;
    };

/** @param content The bundle's file: its bytes, or its text */
export function verifyBundle(
  content: string | Uint8Array,
  documentHash: string,
  options?: VerifyOptions,
  onStep?: (step: Step) => void,
): Promise<Result>;
export function conclusion(result: Extract<Result, { ok: true }>): string;

/** Exit codes of the outcomes; 2 is wrong usage. */
export const EXIT_CODES: Readonly<Record<Outcome, number>>;
/** Describes the block of a result for programs. */
export function blockReport(block: ProvingBlock): {
  readonly number: number;
  readonly timestamp: number;
  readonly chain_id: number;
};
/** Describes what a verification trusted, for programs. */
export function trustReport(options: VerifyOptions): {
  readonly key_id: string | null;
  readonly validators: readonly string[] | null;
  readonly node: boolean;
};

export function isAttestation(content: string | Uint8Array): boolean;

export type AttestationResult =
  | Failed
  | {
      readonly ok: true;
      readonly outcome: "verified";
      readonly steps: readonly Step[];
      readonly keyId: string;
      /** Whether the caller trusts the key. Otherwise name and time of the issuer are claims. */
      readonly isTrusted: boolean;
      readonly issuer: string;
      /** Unix seconds. */
      readonly issuedAt: number;
      /** Number of records with a portable proof. */
      readonly proofs: number;
      /** Number of listed records. */
      readonly records: number;
      /** Number of the document's record, from 1; `undefined` without a document. */
      readonly record: number | undefined;
    };

export function verifyAttestation(
  content: string | Uint8Array,
  readAttachment: (file: string) => Promise<Uint8Array | undefined>,
  options?: VerifyOptions & { readonly documentHash?: string },
  onStep?: (step: Step) => void,
): Promise<AttestationResult>;
export function attestationConclusion(result: Extract<AttestationResult, { ok: true }>): string;
