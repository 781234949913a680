import * as z from "zod";
import { pdfAttachments } from "./pdf-attachments.ts";

/** A file that can prove others. */
export interface Evidence {
  /** A bundle, a signed statement (a JWS), or the text of a statement beside it. */
  readonly kind: "bundle" | "statement" | "copy";
  readonly content: Uint8Array<ArrayBuffer>;
}

/** The largest bundle or statement as text, and as PDF; larger files are documents. */
const LARGEST_TEXT = 4 * 1024 * 1024;
const LARGEST_PDF = 64 * 1024 * 1024;
/** The first bytes of a file that decide whether the rest is read. */
const HEAD_BYTES = 16;
const JWS = /^[\w-]+\.[\w-]+\.[\w-]+$/;

const FORMATS: ReadonlyMap<string, Evidence["kind"]> = new Map([
  ["sealbook-bundle/1", "bundle"],
  ["sealbook-attestation/1", "copy"],
]);

/** Returns the evidence in a file; none in a file that is only a document. */
export async function evidenceIn(file: File): Promise<Evidence[]> {
  const head = new TextDecoder("latin1").decode(await file.slice(0, HEAD_BYTES).arrayBuffer());
  if (head.startsWith("%PDF-")) {
    if (file.size > LARGEST_PDF) return [];
    const attached = await pdfAttachments(new Uint8Array(await file.arrayBuffer()));
    return attached.flatMap((content) => {
      const kind = kindOf(content);
      return kind === undefined ? [] : [{ kind, content }];
    });
  }
  const named = file.name.endsWith(".bundle.json") ? "bundle" : file.name.endsWith(".jws") ? "statement" : undefined;
  if (file.size > LARGEST_TEXT || !(named !== undefined || /^(?:\u00EF\u00BB\u00BF)?\s*(?:\{|eyJ)/.test(head)))
    return [];
  const content = new Uint8Array(await file.arrayBuffer());
  // A damaged bundle or statement is one that fails, not a document without a record; a file of another program is one.
  const kind = kindOf(content) ?? (isDamaged(content) ? named : undefined);
  return kind === undefined ? [] : [{ kind, content }];
}

/** Returns the kind of a text that was pasted; `undefined` for another text. */
export function pastedEvidence(text: string): Evidence | undefined {
  const content = new TextEncoder().encode(text);
  const kind = kindOf(content);
  return kind === undefined ? undefined : { kind, content };
}

/** Whether a text is neither JSON nor a JWS with JSON. */
function isDamaged(content: Uint8Array): boolean {
  const text = new TextDecoder().decode(content).trim();
  return (JWS.test(text) ? payloadOf(text) : parsedJson(text)) === undefined;
}

function kindOf(content: Uint8Array): Evidence["kind"] | undefined {
  const text = new TextDecoder().decode(content).trim();
  const isJws = JWS.test(text);
  const format = z.object({ format: z.string() }).safeParse(isJws ? payloadOf(text) : parsedJson(text)).data?.format;
  const kind = FORMATS.get(format ?? "");
  return isJws && kind === "copy" ? "statement" : isJws ? undefined : kind;
}

const Bundle = z.object({
  record: z.object({ document_id: z.string(), hash: z.string() }),
});
const Statement = z.object({
  records: z.array(z.object({ document_id: z.string(), hash: z.string() })).default([]),
  attachments: z.array(z.object({ file: z.string(), sha256: z.string() })),
});

/** What a page shows and pairs of evidence before it is verified. Nothing of it is verified. */
export interface Claim {
  readonly records: readonly { readonly document_id: string; readonly hash: string }[];
  /** The SHA-256 of attached files, by their names. */
  readonly attachments: ReadonlyMap<string, string>;
}

/** Reads the claim of evidence; an empty one when it cannot be read. */
export function claimOf({ kind, content }: Evidence): Claim {
  const text = new TextDecoder().decode(content).trim();
  if (kind === "statement") {
    const statement = Statement.safeParse(payloadOf(text)).data;
    return {
      records: statement?.records ?? [],
      attachments: new Map(statement?.attachments.map(({ file, sha256 }) => [file, sha256])),
    };
  }
  const bundle = kind === "bundle" ? Bundle.safeParse(parsedJson(text)).data : undefined;
  return {
    records: bundle === undefined ? [] : [bundle.record],
    attachments: new Map(),
  };
}

/** Evidence with what it claims, and the SHA-256 of its content, in hex: statements name their bundles by it. */
export interface ReadEvidence extends Evidence, Claim {
  readonly sha256: string;
}

/** A file that was read: its SHA-256 in hex, and what it can prove. */
export interface ReadFile {
  readonly hash: string;
  readonly evidence: readonly ReadEvidence[];
}

function payloadOf(jws: string): unknown {
  const base64 = (jws.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/");
  try {
    return parsedJson(new TextDecoder().decode(Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))));
  } catch {
    return undefined;
  }
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
