import { messageOf } from "../errors/message-of.ts";
import * as z from "zod";
import type { NewRecord } from "../../../client/records.ts";
import type { Texts } from "../texts/texts.ts";
import { parseForSending } from "../components/written-json.ts";
import { draft } from "./draft.ts";

const JsonObject = z.record(z.string(), z.unknown());
/** Characters of a code or topic. */
const MAX_TEXT = 256;

/** The fields of the form that can be invalid. */
export type DraftField = "code" | "topic" | "json" | "value" | "device" | "title" | "lat" | "lng";
/** The errors of the fields. */
export type FieldErrors = Partial<Record<DraftField, string>>;

/** Returns the record of the form, or the errors of its input. */
export function recordOfDraft({
  errors,
}: Texts["records"]): { readonly record: NewRecord } | { readonly errors: FieldErrors } {
  const fieldErrors: FieldErrors = {};
  const text = (field: "code" | "topic" | "device" | "title"): string => {
    const value = draft[field].value.trim();
    if (value === "") fieldErrors[field] = errors.missing;
    else if ([...value].length > MAX_TEXT) fieldErrors[field] = errors.long(MAX_TEXT);
    return value;
  };
  const number = (field: "value" | "lat" | "lng", least: number, most: number): number => {
    const entered = draft[field].value.trim().replace(",", ".");
    const value = entered === "" ? Number.NaN : Number(entered);
    if (!Number.isFinite(value)) fieldErrors[field] = errors.number;
    else if (value < least || value > most) fieldErrors[field] = errors.range(least, most);
    return value;
  };
  const json = (): Record<string, unknown> => {
    try {
      const text = draft.json.value;
      if (JsonObject.safeParse(JSON.parse(text)).success) return JsonObject.parse(parseForSending(text));
      fieldErrors.json = errors.object;
    } catch (error) {
      fieldErrors.json = errors.json(messageOf(error));
    }
    return {};
  };
  const record: NewRecord = {
    code: text("code"),
    topic: text("topic"),
    payload:
      draft.kind.value === "free"
        ? json()
        : {
            sensorvalue: number("value", 0, 100_000),
            sensordevice: text("device"),
            enrichment: {
              position: { lng: number("lng", -180, 180), lat: number("lat", -90, 90) },
              title: text("title"),
            },
          },
  };
  return Object.keys(fieldErrors).length === 0 ? { record } : { errors: fieldErrors };
}
