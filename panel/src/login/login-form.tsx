import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Button } from "../components/button.tsx";
import { Field } from "../components/field.tsx";
import { texts } from "../texts/texts.ts";

/** The entered credentials. */
export interface Credentials {
  readonly address: string;
  readonly password: string;
}

/** The form of a login. It clears the password when it is submitted. */
export function LoginForm({ onSubmit }: { onSubmit: (credentials: Credentials) => void }) {
  const form = useRef<HTMLFormElement>(null);
  const address = useSignal("");
  const password = useSignal("");
  const isTried = useSignal(false);
  const { login: words } = texts.value;
  const faults = {
    address:
      address.value === ""
        ? words.addressMissing
        : /^0x[0-9a-f]{40}$/i.test(address.value)
          ? undefined
          : words.addressMalformed,
    password: password.value === "" ? words.passwordMissing : undefined,
  };
  const shown = isTried.value ? faults : undefined;
  const focus = (name: string) => form.current?.querySelector<HTMLInputElement>(`[name=${name}]`)?.focus();

  useEffect(() => focus("login"), []);
  const submit = (event: Event) => {
    event.preventDefault();
    isTried.value = faults.address !== undefined || faults.password !== undefined;
    if (isTried.value) return focus(faults.address === undefined ? "password" : "login");
    onSubmit({ address: address.value, password: password.value });
    password.value = "";
  };

  return (
    <form ref={form} class="login stack" noValidate autocomplete="on" onSubmit={submit}>
      <Field label={words.address} error={shown?.address}>
        {(control) => (
          <input
            {...control}
            class="control control-mono"
            name="login"
            required
            autocomplete="username"
            autocapitalize="off"
            spellcheck={false}
            placeholder="0x…"
            value={address.value}
            onInput={({ currentTarget }) => (address.value = currentTarget.value.trim())}
          />
        )}
      </Field>
      <Field label={words.password} error={shown?.password}>
        {(control) => (
          <input
            {...control}
            name="password"
            type="password"
            required
            autocomplete="current-password"
            value={password.value}
            onInput={({ currentTarget }) => (password.value = currentTarget.value)}
          />
        )}
      </Field>
      <Button kind="main" type="submit" free>
        {words.submit}
      </Button>
    </form>
  );
}
