import * as z from "zod";
import { newIdempotencyKey } from "../../../client/idempotency-key.ts";
import type { NewRecord } from "../../../client/records.ts";
import { kept } from "../session/kept.ts";

const DraftKind = z.enum(["reading", "free"]);
/** The two ways to write a record. */
export type DraftKind = z.output<typeof DraftKind>;

const text = (name: string, initial = "") => kept(`draft.${name}`, z.string(), initial);

/** The record in the form. Preserved when the dialog closes or the session ends. */
export const draft = {
  kind: kept<DraftKind>("draft.kind", DraftKind, "reading"),
  code: text("code"),
  topic: text("topic", "PM2.5"),
  json: text("json", "{\n  \n}"),
  value: text("value"),
  device: text("device"),
  title: text("title"),
  lat: text("lat"),
  lng: text("lng"),
  /** Whether its dialog is open. */
  isOpen: kept("draft.isOpen", z.boolean(), false),
};

/** The last record whose sending was not confirmed, as JSON, with its idempotency key. */
const unconfirmed = kept("draft.unconfirmed", z.object({ record: z.string(), key: z.string() }).optional(), undefined);

/** Returns the idempotency key of a record: the same one until it was stored, also after an error or a reload. */
export function keyOf(record: NewRecord): string {
  const json = JSON.stringify(record);
  if (unconfirmed.value?.record !== json) unconfirmed.value = { record: json, key: newIdempotencyKey() };
  return unconfirmed.value.key;
}

/** Clears the fields that differ between records; keeps sensor and position for the next. */
export function clearDraft(): void {
  unconfirmed.value = undefined;
  draft.value.value = "";
  draft.json.value = "{\n  \n}";
  if (draft.kind.value === "free") draft.code.value = "";
}
