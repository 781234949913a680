import { useSignal } from "@preact/signals";
import { Button } from "../components/button.tsx";
import { Field } from "../components/field.tsx";
import { More } from "../components/more.tsx";
import { texts } from "../texts/texts.ts";
import type { Verification } from "./verification.ts";

/** Accepts hashes, or the text of a bundle. */
export function PasteForm({ verification }: { verification: Verification }) {
  const { paste: words } = texts.value.verify;
  const text = useSignal("");
  const isUnreadable = useSignal(false);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const given = text.value;
    isUnreadable.value = false;
    text.value = "";
    if (await verification.paste(given)) return;
    isUnreadable.value = true;
    text.value = given;
  };
  return (
    <More title={words.title}>
      <form class="stack" onSubmit={(event) => void submit(event)}>
        <Field label={words.label} error={isUnreadable.value ? words.unreadable : undefined}>
          {(control) => (
            <textarea
              {...control}
              value={text.value}
              spellcheck={false}
              onInput={(event) => (text.value = event.currentTarget.value)}
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
