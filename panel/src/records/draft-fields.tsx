import type { Signal } from "@preact/signals";
import { Field } from "../components/field.tsx";
import { texts } from "../texts/texts.ts";
import { draft } from "./draft.ts";
import type { FieldErrors } from "./draft-record.ts";

/** A reading of fine dust, by the convention of its fields. */
export function ReadingFields({ errors }: { errors: FieldErrors }) {
  const { records: words } = texts.value;
  return (
    <>
      <div class="pair">
        <Input of={draft.code} label={words.code} hint={words.codeHint} error={errors.code} placeholder="station-1" />
        <Input of={draft.topic} label={words.topic} error={errors.topic} />
      </div>
      <div class="pair">
        <Input of={draft.value} label={words.value} error={errors.value} numeric placeholder="12.5" />
        <Input of={draft.device} label={words.device} error={errors.device} placeholder="SDS011" />
      </div>
      <Input of={draft.title} label={words.caption} hint={words.captionHint} error={errors.title} />
      <div class="pair">
        <Input of={draft.lat} label={words.latitude} error={errors.lat} numeric placeholder="13.74" />
        <Input of={draft.lng} label={words.longitude} error={errors.lng} numeric placeholder="100.52" />
      </div>
    </>
  );
}

/** A record with any content. */
export function FreeFields({ errors }: { errors: FieldErrors }) {
  const { records: words } = texts.value;
  return (
    <>
      <div class="pair">
        <Input of={draft.code} label={words.code} hint={words.codeHint} error={errors.code} />
        <Input of={draft.topic} label={words.topic} error={errors.topic} />
      </div>
      <Field label={words.payload} hint={words.payloadHint} error={errors.json}>
        {(control) => (
          <textarea
            {...control}
            rows={8}
            spellcheck={false}
            value={draft.json.value}
            onInput={(event) => (draft.json.value = event.currentTarget.value)}
          />
        )}
      </Field>
    </>
  );
}

function Input({
  of,
  label,
  hint,
  error,
  numeric = false,
  placeholder,
}: {
  of: Signal<string>;
  label: string;
  hint?: string;
  error?: string | undefined;
  numeric?: boolean;
  placeholder?: string;
}) {
  return (
    <Field label={label} error={error} {...(hint === undefined ? {} : { hint })}>
      {(control) => (
        <input
          {...control}
          inputMode={numeric ? "decimal" : "text"}
          autocomplete="off"
          placeholder={placeholder}
          value={of.value}
          onInput={(event) => (of.value = event.currentTarget.value)}
        />
      )}
    </Field>
  );
}
