import { Field } from "../components/field.tsx";
import { texts } from "../texts/texts.ts";
import { access } from "./proof-access.ts";

/** Accepts an API key or a token, after the server requested one. */
export function AccessField() {
  const { access: words } = texts.value.verify;
  return (
    <Field label={words.label} hint={words.hint}>
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
