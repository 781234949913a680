import type { Signal } from "@preact/signals";
import { Field } from "../components/field.tsx";
import { texts } from "../texts/texts.ts";
import { draft } from "./draft.ts";
import type { Faults } from "./draft-record.ts";

/** A reading of fine dust, by the convention of its fields. */
export function ReadingFields({ faults }: { faults: Faults }) {
  const { records: words } = texts.value;
  return (
    <>
      <div class="pair">
        <Input of={draft.code} label={words.code} hint={words.codeHint} fault={faults.code} placeholder="station-1" />
        <Input of={draft.topic} label={words.topic} fault={faults.topic} />
      </div>
      <div class="pair">
        <Input of={draft.value} label={words.value} fault={faults.value} numeric placeholder="12.5" />
        <Input of={draft.device} label={words.device} fault={faults.device} placeholder="SDS011" />
      </div>
      <Input of={draft.title} label={words.caption} hint={words.captionHint} fault={faults.title} />
      <div class="pair">
        <Input of={draft.lat} label={words.latitude} fault={faults.lat} numeric placeholder="13.74" />
        <Input of={draft.lng} label={words.longitude} fault={faults.lng} numeric placeholder="100.52" />
      </div>
    </>
  );
}

/** A record with any content. */
export function FreeFields({ faults }: { faults: Faults }) {
  const { records: words } = texts.value;
  return (
    <>
      <div class="pair">
        <Input of={draft.code} label={words.code} hint={words.codeHint} fault={faults.code} />
        <Input of={draft.topic} label={words.topic} fault={faults.topic} />
      </div>
      <Field label={words.payload} hint={words.payloadHint} fault={faults.json}>
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
  fault,
  numeric = false,
  placeholder,
}: {
  of: Signal<string>;
  label: string;
  hint?: string;
  fault?: string | undefined;
  numeric?: boolean;
  placeholder?: string;
}) {
  return (
    <Field label={label} fault={fault} {...(hint === undefined ? {} : { hint })}>
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
