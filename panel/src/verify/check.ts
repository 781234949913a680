import {
  type AttestationResult,
  type Result,
  type VerifyOptions,
  verifyAttestation,
  verifyBundle,
} from "../../../verifier/verify.mjs";
import { baseName, folderOf, type NamedEvidence } from "./pairing.ts";
import type { EvidenceVerdict, Trusted } from "./verdict.ts";

/** What the reader trusts; without a key and validators the chain as a server shows it. */
export type Trust = Pick<VerifyOptions, "trustedKey" | "validators" | "node">;

/** Verifies documents, statements and bundles with all evidence that there is. One is made for a run. */
export class Checker {
  readonly #all: readonly NamedEvidence[];
  readonly #trust: Trust;
  /** Copies of a file share the verdict. */
  readonly #known = new Map<NamedEvidence, Map<string | undefined, EvidenceVerdict>>();
  readonly #byHash: ReadonlyMap<string, NamedEvidence>;

  readonly #verified: Map<string, EvidenceVerdict>;

  /** @param verified What bundles verified in earlier runs with the same trust, by file and hash */
  constructor(all: readonly NamedEvidence[], trust: Trust, verified: Map<string, EvidenceVerdict>) {
    this.#all = all;
    this.#trust = trust;
    this.#verified = verified;
    this.#byHash = new Map(all.map((each) => [each.sha256, each]));
  }

  /** Verifies a document with the evidence for it: one that verifies it suffices. */
  async document(hash: string, evidence: readonly NamedEvidence[]): Promise<EvidenceVerdict | undefined> {
    let best: EvidenceVerdict | undefined;
    for (const each of evidence) {
      // A statement that fails does so for each of its documents.
      const whole = each.kind === "statement" ? await this.#verdict(each, undefined) : undefined;
      const verdict = whole === undefined || whole.kind === "verified" ? await this.#verdict(each, hash) : whole;
      if (best === undefined || rank(verdict) > rank(best)) best = verdict;
      if (best.kind === "verified") break;
    }
    return best;
  }

  /** Verifies a statement. */
  statement(evidence: NamedEvidence): Promise<EvidenceVerdict> {
    return this.#verdict(evidence, undefined);
  }

  /** Verifies what a bundle says without its document. */
  async bundleAlone(evidence: NamedEvidence): Promise<EvidenceVerdict> {
    const verdict = await this.#verdict(evidence, evidence.records[0]?.hash ?? "");
    // Nothing says that a document with this hash exists.
    const steps = verdict.steps.filter(({ step }) => step !== "document");
    return verdict.kind === "verified"
      ? { kind: "undetermined", code: "file", steps, evidence: evidence.name }
      : { ...verdict, steps };
  }

  async #verdict(evidence: NamedEvidence, hash: string | undefined): Promise<EvidenceVerdict> {
    const known = this.#known.get(evidence) ?? new Map<string | undefined, EvidenceVerdict>();
    this.#known.set(evidence, known);
    const key = `${evidence.source} ${evidence.sha256} ${hash}`;
    const verdict = known.get(hash) ?? this.#verified.get(key) ?? (await this.#verify(evidence, hash));
    known.set(hash, verdict);
    // A statement is verified with its attachments, which can be added later.
    if (evidence.kind === "bundle" && verdict.kind === "verified") this.#verified.set(key, verdict);
    return verdict;
  }

  async #verify(evidence: NamedEvidence, hash: string | undefined): Promise<EvidenceVerdict> {
    const of = { evidence: evidence.name };
    // Browsers have no cryptography on pages without TLS, except those of localhost and files.
    if (!globalThis.isSecureContext) return { kind: "undetermined", code: "cryptography", steps: [], ...of };
    const options = this.#trust;
    const trusted = trustedBy(options);
    if (evidence.kind === "bundle") {
      const result = await verifyBundle(evidence.content, hash ?? "", options);
      if (!result.ok) return failed(result, of);
      const { steps, block, documentId } = result;
      return { kind: "verified", trusted, steps, block, documentId, statement: undefined, ...of };
    }
    const withHash = hash === undefined ? options : { ...options, documentHash: hash };
    const result = await verifyAttestation(
      evidence.content,
      async (file) => this.#attachment(evidence, file),
      withHash,
    );
    if (!result.ok) return failed(result, of);
    return {
      kind: "verified",
      trusted: result.isTrusted ? "key" : trusted,
      steps: result.steps,
      block: undefined,
      documentId: result.record === undefined ? undefined : evidence.records[result.record - 1]?.document_id,
      statement: result,
      ...of,
    };
  }

  /**
   * Finds a file of a statement: by its hash, wherever it is. By its name only where it can be of no other statement:
   * in the same PDF, or beside the only statement of a folder.
   */
  #attachment(statement: NamedEvidence, file: string): Uint8Array | undefined {
    const found = this.#byHash.get(statement.attachments.get(file) ?? "");
    if (found !== undefined) return found.content;
    const { source, name, isInPdf } = statement;
    if (isInPdf)
      return file === STATEMENT_COPY
        ? this.#all.find((each) => each.kind === "copy" && each.source === source)?.content
        : undefined;
    const beside = this.#all.filter((each) => !each.isInPdf && folderOf(each.name) === folderOf(name));
    return isOnlyStatement(beside) ? beside.find((each) => baseName(each.name) === file)?.content : undefined;
  }
}

/** Whether files of a folder can be of one statement only. */
export function isOnlyStatement(beside: readonly NamedEvidence[]): boolean {
  return beside.filter(({ kind }) => kind === "statement").length === 1;
}

/** Name of the text of a statement beside it. */
export const STATEMENT_COPY = "statement.json";

function failed(
  { outcome, code, steps }: Extract<Result | AttestationResult, { ok: false }>,
  of: { readonly evidence: string },
): EvidenceVerdict {
  return outcome === "not_verified"
    ? { kind: "not_verified", code, steps, ...of }
    : { kind: "undetermined", code, steps, ...of };
}

function trustedBy({ validators, node }: Trust): Trusted {
  return validators !== undefined ? "validators" : node !== undefined ? "chain" : "key";
}

function rank({ kind }: EvidenceVerdict): number {
  return { not_verified: 0, undetermined: 1, verified: 2 }[kind];
}
