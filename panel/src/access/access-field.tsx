import { Field } from "../components/field.tsx";
import { texts } from "../texts/texts.ts";
import { access } from "./proof-access.ts";

/** Accepts an API key or a token, after the server requested one. */
export function AccessField() {
  const { failures } = texts.value.verify;
  return (
    <Field label={failures.keyLabel} hint={failures.keyHint}>
      {(control) => (
        <input
          {...control}
          type="password"
          autocomplete="off"
          value={access.value}
          onInput={(event) => (access.value = event.currentTarget.value)}
        />
      )}
    </Field>
  );
}
