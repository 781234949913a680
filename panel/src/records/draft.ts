import { signal } from "@preact/signals";

/** The two ways to write a record. */
export type DraftKind = "reading" | "free";

/** What is being written. It outlives the dialog, and a session that is lost meanwhile. */
export const draft = {
  kind: signal<DraftKind>("reading"),
  code: signal(""),
  topic: signal("PM2.5"),
  json: signal('{\n  \n}'),
  value: signal(""),
  device: signal(""),
  title: signal(""),
  lat: signal(""),
  lng: signal(""),
};

/** Empties what differs from record to record; sensor and place stay for the next. */
export function clearDraft(): void {
  draft.value.value = "";
  draft.json.value = '{\n  \n}';
  if (draft.kind.value === "free") draft.code.value = "";
}
