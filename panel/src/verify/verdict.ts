import type { Code, Step } from "../../../verifier/verify.mjs";

/** A file or a pasted hash. Its content stays in the browser. */
export interface Subject {
  readonly id: string;
  /** The path of a file; for a pasted hash the name beside it, or the hash. */
  readonly name: string;
  /** `undefined` for a pasted hash. */
  readonly size: number | undefined;
  /** SHA-256, in hex. */
  readonly hash: string;
}

/** What a verification trusted, apart from mathematics. */
export type Trusted = "validators" | "chain" | "key";

/** What is missing for a verdict, beyond the codes of the verifier. */
export type Missing = "file" | "cryptography" | "evidence" | "server" | "cancelled";

/** What the evidence says. Only the verifier makes `verified` and `not_verified`. */
export type EvidenceVerdict = {
  readonly steps: readonly Step[];
  /** Name of the bundle or the statement. */
  readonly evidence: string;
} & (
  | {
      readonly kind: "verified";
      readonly trusted: Trusted;
      /** The block that proves the document; `undefined` when only the issuer states it. */
      readonly block: { readonly number: string; readonly timestamp: number; readonly chainId: number } | undefined;
      /** The recorded name of the document; `undefined` for a statement. */
      readonly documentId: string | undefined;
      readonly statement: StatementFacts | undefined;
    }
  | { readonly kind: "not_verified"; readonly code: Code }
  | { readonly kind: "undetermined"; readonly code: Code | Missing }
);

/** The signer of a statement. */
export interface StatementFacts {
  readonly issuer: string;
  /** Unix seconds. */
  readonly issuedAt: number;
  readonly keyId: string;
  /** Whether the key is trusted; else name and time are only claims. */
  readonly isTrusted: boolean;
  readonly records: number;
  readonly proofs: number;
}

/** What the server says. It is never a verification. */
export type ServerVerdict =
  | {
      readonly kind: "recorded";
      readonly timestamp: number;
      readonly block: number;
      readonly transaction: string;
      /** The proof's id and the recorded name, for callers with access to the journal. */
      readonly proofId: string | undefined;
      readonly documentId: string | undefined;
    }
  | { readonly kind: "not_recorded" };

export type Verdict =
  | EvidenceVerdict
  | ServerVerdict
  | { readonly kind: "undetermined"; readonly code: Missing; readonly steps: readonly []; readonly evidence: undefined }
  | { readonly kind: "unreadable"; readonly reason: string };

/** A line of the results. */
export interface Row extends Omit<Subject, "hash"> {
  readonly hash: string | undefined;
  /** Whether it is about a signed statement, not about a file as it is shown or printed. */
  readonly isStatement?: true;
  /** `undefined` while it is being determined. */
  readonly verdict: Verdict | undefined;
}

/** A verdict that something is missing which no evidence is for. */
export function missing(code: Missing): Verdict {
  return { kind: "undetermined", code, steps: [], evidence: undefined };
}

/** The kinds of verdicts, worst first. */
export const KINDS = ["not_verified", "unreadable", "undetermined", "not_recorded", "recorded", "verified"] as const;
