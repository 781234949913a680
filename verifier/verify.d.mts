// Types of verify.mjs, which is plain JavaScript.

export class VerificationError extends Error {}

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
export type Step =
  | { readonly title: string; readonly ok: true; readonly proves: string; readonly assumes: string }
  | { readonly title: string; readonly ok: false; readonly reason: string };

/** Trusted inputs; each adds a check. */
export interface VerifyOptions {
  readonly trustedKey?: string;
  readonly contract?: string;
  readonly validators?: readonly string[];
  readonly node?: (method: string, parameters: readonly unknown[]) => Promise<unknown>;
}

export type Level = "signature" | "node" | "validators";

export type Result =
  | { readonly ok: false; readonly level: Level; readonly steps: readonly Step[] }
  | {
      readonly ok: true;
      readonly level: Level;
      readonly steps: readonly Step[];
      readonly documentId: string;
      readonly block: { readonly number: string; readonly time: string; readonly chainId: number };
    };

/** @param content The bundle's file: its bytes, or its text */
export function verifyBundle(
  content: string | Uint8Array,
  documentHash: string,
  options?: VerifyOptions,
  onStep?: (step: Step) => void,
): Promise<Result>;
export function conclusion(result: Extract<Result, { ok: true }>): string;

export function isAttestation(content: string | Uint8Array): boolean;

export type AttestationResult =
  | { readonly ok: false; readonly steps: readonly Step[] }
  | {
      readonly ok: true;
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
