import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { StoreContent } from "../../../client/index.ts";
import { Button } from "../components/button.tsx";
import { Dialog } from "../components/dialog.tsx";
import { Progress } from "../components/progress.tsx";
import { Segments } from "../components/segments.tsx";
import { ErrorNotice } from "../errors/error-notice.tsx";
import { records, session } from "../session/session.ts";
import { texts } from "../texts/texts.ts";
import { clearDraft, draft, keyOf } from "./draft.ts";
import { type FieldErrors, recordOfDraft } from "./draft-record.ts";
import { FreeFields, ReadingFields } from "./draft-fields.tsx";

/** A form that creates and sends a record. */
export function SendDialog({ onStored, onClose }: { onStored: (record: StoreContent) => void; onClose: () => void }) {
  const form = useRef<HTMLFormElement>(null);
  const errors = useSignal<FieldErrors>({});
  const failure = useSignal<unknown>(undefined);
  const isSending = useSignal(false);
  const { records: words } = texts.value;

  const send = async (event: Event) => {
    event.preventDefault();
    if (isSending.value) return;
    const input = recordOfDraft(words);
    errors.value = "errors" in input ? input.errors : {};
    if (!("record" in input)) {
      queueMicrotask(() => form.current?.querySelector<HTMLElement>("[aria-invalid]")?.focus());
      return;
    }
    isSending.value = true;
    failure.value = undefined;
    try {
      const key = keyOf(input.record);
      const stored = await session.call((token) => records.store(token, input.record, key));
      clearDraft();
      onStored(stored);
    } catch (error) {
      failure.value = error;
    } finally {
      isSending.value = false;
    }
  };

  return (
    <Dialog title={words.send} onClose={onClose}>
      <form ref={form} class="stack" noValidate onSubmit={(event) => void send(event)}>
        <Segments
          label={words.kind}
          of={[
            { value: "reading", title: words.reading },
            { value: "free", title: words.free },
          ]}
          value={draft.kind.value}
          onChoose={(kind) => {
            draft.kind.value = kind;
            errors.value = {};
          }}
        />
        {draft.kind.value === "reading" ? (
          <ReadingFields errors={errors.value} />
        ) : (
          <FreeFields errors={errors.value} />
        )}
        {failure.value === undefined ? null : <ErrorNotice error={failure.value} />}
        {isSending.value ? <Progress>{words.sending}</Progress> : null}
        <div class="row dialog-end">
          <Button free onClick={onClose}>
            {texts.value.common.cancel}
          </Button>
          <Button kind="main" type="submit" busy={isSending.value}>
            {words.sendNow}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
