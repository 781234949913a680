import { useSignal } from "@preact/signals";
import { parseValidators } from "../../../verifier/verify.mjs";
import { Button } from "../components/button.tsx";
import { Field } from "../components/field.tsx";
import { More } from "../components/more.tsx";
import { texts } from "../texts/texts.ts";
import type { Verification } from "./verification.ts";

const KEY_ID = /^[\w-]{43}$/;

/** Accepts what the reader trusts: a key of the issuer, the validators of the chain. */
export function TrustForm({ verification }: { verification: Verification }) {
  const { trust: words } = texts.value.verify;
  const key = useSignal(verification.trust.peek().trustedKey ?? "");
  const validators = useSignal((verification.trust.peek().validators ?? []).join("\n"));
  const errors = useSignal<{ readonly key?: string; readonly validators?: string }>({});
  const apply = (event: Event): void => {
    event.preventDefault();
    const trustedKey = key.value.trim();
    const list = parsedValidators(validators.value);
    errors.value = {
      ...(trustedKey === "" || KEY_ID.test(trustedKey) ? {} : { key: words.keyInvalid }),
      ...(list === undefined ? { validators: words.validatorsInvalid } : {}),
    };
    if (Object.keys(errors.value).length > 0 || list === undefined) return;
    verification.trust.value = {
      ...(trustedKey === "" ? {} : { trustedKey }),
      ...(list.length === 0 ? {} : { validators: list }),
    };
    void verification.check();
  };
  return (
    <More title={words.title} open={!verification.hasServer}>
      <form class="stack" onSubmit={apply}>
        <p class="small muted">
          {words.about} {verification.hasServer ? words.server : null}
        </p>
        <Field label={words.key} hint={words.keyHint} error={errors.value.key}>
          {(control) => (
            <input
              {...control}
              class="control control-mono"
              value={key.value}
              autocomplete="off"
              spellcheck={false}
              onInput={(event) => (key.value = event.currentTarget.value)}
            />
          )}
        </Field>
        <Field label={words.validators} error={errors.value.validators}>
          {(control) => (
            <textarea
              {...control}
              value={validators.value}
              spellcheck={false}
              onInput={(event) => (validators.value = event.currentTarget.value)}
            />
          )}
        </Field>
        <div>
          <Button free type="submit">
            {words.button}
          </Button>
        </div>
      </form>
    </More>
  );
}

/** Reads a list of validators; empty for none, `undefined` for another text. */
function parsedValidators(text: string): string[] | undefined {
  try {
    return text.trim() === "" ? [] : parseValidators(text);
  } catch {
    return undefined;
  }
}
