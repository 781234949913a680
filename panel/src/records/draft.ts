import { effect, signal } from "@preact/signals";
import { session } from "../session/session.ts";

/** The two ways to write a record. */
export type DraftKind = "reading" | "free";

/** What is being written. It outlives the dialog, and a session that is lost meanwhile. */
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

// Who logs out leaves nothing behind; a session that is lost keeps what was written.
effect(() => {
  if (session.ending.value !== "closed") return;
  clearDraft();
  for (const text of [draft.code, draft.device, draft.title, draft.lat, draft.lng]) text.value = "";
});

/** Empties what differs from record to record; sensor and place stay for the next. */
export function clearDraft(): void {
  draft.value.value = "";
  draft.json.value = "{\n  \n}";
  if (draft.kind.value === "free") draft.code.value = "";
}
