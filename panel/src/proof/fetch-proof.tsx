import { useSignal } from "@preact/signals";
import { Button } from "../components/button.tsx";
import { Field } from "../components/field.tsx";
import { Notice } from "../components/notice.tsx";
import { texts } from "../texts/texts.ts";
import { AccessField } from "./access-field.tsx";
import { isAccessNeeded, noteUnauthorized, proofClient } from "./proof-access.ts";
import { proofFailure } from "./proof-failure.ts";

/** Fetches a proof from the server's journal, with the user's credentials. */
export function FetchProof({ onProof }: { onProof: (text: string) => void }) {
  const { fetch: words } = texts.value.proofs;
  const id = useSignal("");
  const state = useSignal<"" | "loading" | "missing">("");
  const failure = useSignal<unknown>(undefined);
  const fetchBundle = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (id.value.trim() === "" || state.value === "loading") return;
    state.value = "loading";
    failure.value = undefined;
    try {
      const bundle = await proofClient().bundle(id.value.trim());
      state.value = bundle === undefined ? "missing" : "";
      if (bundle !== undefined) onProof(bundle);
    } catch (error) {
      noteUnauthorized(error);
      state.value = "";
      failure.value = error;
    }
  };
  const failed = failure.value === undefined ? undefined : proofFailure(failure.value);
  return (
    <form class="stack" onSubmit={(event) => void fetchBundle(event)}>
      <p class="small muted">{words.about}</p>
      <Field label={words.label} hint={words.hint}>
        {(control) => (
          <input
            {...control}
            value={id.value}
            autocomplete="off"
            spellcheck={false}
            onInput={(event) => (id.value = event.currentTarget.value)}
          />
        )}
      </Field>
      {isAccessNeeded.value ? <AccessField /> : null}
      {state.value === "missing" ? (
        <Notice kind="warning" title={words.missing}>
          {words.missingHelp}
        </Notice>
      ) : null}
      {failed === undefined ? null : (
        <Notice kind="bad" title={failed.title}>
          {failed.help}
        </Notice>
      )}
      <div>
        <Button free type="submit" busy={state.value === "loading"}>
          {words.button}
        </Button>
      </div>
    </form>
  );
}
