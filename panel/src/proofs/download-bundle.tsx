import { useSignal } from "@preact/signals";
import { Button } from "../components/button.tsx";
import { Field } from "../components/field.tsx";
import { Notice } from "../components/notice.tsx";
import { proofClient } from "../proof/proof-access.ts";
import { proofFailure } from "../proof/proof-failure.ts";
import { noteUnauthorized } from "../proof/proof-access.ts";
import { texts } from "../texts/texts.ts";

/**
 * Offers the portable proof as a file.
 * @param of The proof's id; if it is unknown, a field for the document's name is shown
 */
export function DownloadBundle({ of, name }: { of: string | undefined; name: string }) {
  const { download: words } = texts.value.proofs;
  const id = useSignal(of ?? "");
  const isBusy = useSignal(false);
  const failure = useSignal<{ readonly title: string; readonly help: string } | undefined>(undefined);
  const download = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (isBusy.value || id.value.trim() === "") return;
    isBusy.value = true;
    failure.value = undefined;
    try {
      const text = await proofClient().bundle(id.value.trim());
      if (text === undefined) failure.value = { title: words.missing, help: words.missingHelp };
      else save(text, `${name}.bundle.json`);
    } catch (error) {
      noteUnauthorized(error);
      failure.value = proofFailure(error);
    }
    isBusy.value = false;
  };
  return (
    <form class="stack" onSubmit={(event) => void download(event)}>
      {of === undefined ? (
        <Field label={words.documentId} hint={words.documentIdHint}>
          {(control) => (
            <input
              {...control}
              value={id.value}
              autocomplete="off"
              onInput={(event) => (id.value = event.currentTarget.value)}
            />
          )}
        </Field>
      ) : null}
      <div class="row">
        <Button free icon="download" type="submit" busy={isBusy.value}>
          {words.button}
        </Button>
        <span class="small muted">{words.about}</span>
      </div>
      {failure.value === undefined ? null : (
        <Notice kind="bad" title={failure.value.title}>
          {failure.value.help}
        </Notice>
      )}
    </form>
  );
}

function save(text: string, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  link.download = name;
  link.click();
  // Delayed: the browser reads the object after the click.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
