import { effect, signal } from "@preact/signals";
import { session } from "../session/session.ts";

/** The two ways to write a record. */
export type DraftKind = "reading" | "free";

/** The record in the form. Preserved when the dialog closes or the session ends. */
export const draft = {
  kind: signal<DraftKind>("reading"),
  code: signal(""),
  topic: signal("PM2.5"),
  json: signal("{\n  \n}"),
  value: signal(""),
  device: signal(""),
  title: signal(""),
  lat: signal(""),
  lng: signal(""),
};

// A logout clears the draft; an ended session does not.
effect(() => {
  if (session.ending.value !== "closed") return;
  clearDraft();
  for (const text of [draft.code, draft.device, draft.title, draft.lat, draft.lng]) text.value = "";
});

/** Clears the fields that differ between records; keeps sensor and position for the next. */
export function clearDraft(): void {
  draft.value.value = "";
  draft.json.value = "{\n  \n}";
  if (draft.kind.value === "free") draft.code.value = "";
}
