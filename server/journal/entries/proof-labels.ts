import { z } from "zod";
import type { Database } from "../engine/database.ts";

/** Type and source of a proof: dictionary-encoded, because many proofs share them. */
export interface Label {
  readonly type: string | null;
  readonly source: string | null;
}

const NONE: Label = { type: null, source: null };
const Text = z.tuple([z.string().nullable(), z.string().nullable()]);

/** Encodes a label; `undefined` for an empty one. */
export function encodeLabel({
  type,
  source,
}: {
  readonly type?: string | null;
  readonly source?: string | null;
}): string | undefined {
  return (type ?? null) === null && (source ?? null) === null
    ? undefined
    : JSON.stringify([type ?? null, source ?? null]);
}

/** @throws RangeError when the text is not a label */
export function decodeLabel(text: string | null): Label {
  if (text === null) return NONE;
  const parsed = Text.safeParse(jsonOf(text));
  if (!parsed.success) throw new RangeError("a label of the journal was changed");
  const [type, source] = parsed.data;
  return { type, source };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Decodes labels and caches the results. */
export class LabelCache {
  readonly #known = new Map<string | null, Label>();

  read(text: string | null): Label {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const label = decodeLabel(text);
    this.#known.set(text, label);
    return label;
  }
}

/**
 * Returns the ids of labels and inserts unknown ones; inside a write transaction.
 * @returns the id by text, `null` for an empty label
 */
export async function labelIds(
  transaction: Database,
  texts: readonly (string | undefined)[],
): Promise<(text: string | undefined) => number | null> {
  const wanted = [...new Set(texts)].filter((text) => text !== undefined);
  const known = new Map<string, number>();
  if (wanted.length > 0) {
    const rows = await transaction.selectFrom("proof_labels").selectAll().where("text", "in", wanted).execute();
    for (const { id, text } of rows) known.set(text, id);
    const unknown = wanted.filter((text) => !known.has(text));
    if (unknown.length > 0) {
      const added = await transaction
        .insertInto("proof_labels")
        .values(unknown.map((text) => ({ text })))
        .returningAll()
        .execute();
      for (const { id, text } of added) known.set(text, id);
    }
  }
  return (text) => {
    if (text === undefined) return null;
    const id = known.get(text);
    if (id === undefined) throw new RangeError(`the label ${text} has no id`);
    return id;
  };
}
