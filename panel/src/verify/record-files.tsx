import { useSignal } from "@preact/signals";
import { AccessField } from "../access/access-field.tsx";
import { isAccessNeeded } from "../access/proof-access.ts";
import { proofFailure } from "../access/proof-failure.ts";
import { Button } from "../components/button.tsx";
import { Field } from "../components/field.tsx";
import { Notice } from "../components/notice.tsx";
import { Progress } from "../components/progress.tsx";
import { wholeNumber } from "../format/numbers.ts";
import { texts } from "../texts/texts.ts";
import { Recording } from "./recording.ts";
import type { Verification } from "./verification.ts";

/** Records the files that the server has not recorded: their hashes, under their names. */
export function RecordFiles({ verification }: { verification: Verification }) {
  const { record: words } = texts.value.verify;
  const rows = verification.rows.value.filter(
    ({ size, verdict }) => size !== undefined && verdict?.kind === "not_recorded",
  );
  const [only, ...others] = rows;
  const isOne = others.length === 0;
  /** The name that was entered for a single file, and the file. */
  const entered = useSignal({ of: "", name: "" });
  const type = useSignal("");
  const recording = useSignal<Recording | undefined>(undefined);
  const id = entered.value.of === only?.id ? entered.value.name : (only?.name ?? "");
  const isMissing = isOne && id.trim() === "";
  const current = recording.value;

  const record = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (current?.isRunning.value === true || isMissing) return;
    const metadata = { source: "panel", ...(type.value.trim() === "" ? {} : { type: type.value.trim() }) };
    const documents = rows.flatMap(({ name, hash }) =>
      hash === undefined ? [] : [{ document_id: isOne ? id.trim() : name, hash, metadata }],
    );
    const isSame = JSON.stringify(current?.documents) === JSON.stringify(documents);
    const next = current !== undefined && isSame ? current : new Recording(documents);
    recording.value = next;
    if (await next.run()) await verification.check();
  };

  const accepted = new Set(current?.isPending.value === true ? current.documents.map(({ hash }) => hash) : []);
  if (rows.length > 0 && rows.every(({ hash }) => accepted.has(hash ?? "")))
    return <Notice title={words.pending}>{words.pendingHelp}</Notice>;
  if (only === undefined && current?.isRunning.value !== true) return null;
  const failed = current?.failure.value === undefined ? undefined : proofFailure(current.failure.value);
  return (
    <form class="card stack" onSubmit={(event) => void record(event)}>
      <div>
        <h2>{words.title(wholeNumber(rows.length), isOne)}</h2>
        <p class="muted">{words.about}</p>
      </div>
      <div class="columns">
        {isOne ? (
          <Field
            label={words.documentId}
            hint={words.documentIdHint}
            error={isMissing ? words.documentIdMissing : undefined}
          >
            {(control) => (
              <input
                {...control}
                value={id}
                maxLength={512}
                autocomplete="off"
                onInput={(event) => (entered.value = { of: only?.id ?? "", name: event.currentTarget.value })}
              />
            )}
          </Field>
        ) : null}
        <Field label={words.type} hint={words.typeHint}>
          {(control) => (
            <input
              {...control}
              value={type.value}
              maxLength={128}
              autocomplete="off"
              onInput={(event) => (type.value = event.currentTarget.value)}
            />
          )}
        </Field>
      </div>
      {isAccessNeeded.value ? <AccessField /> : null}
      {failed === undefined ? null : (
        <Notice kind="bad" title={failed.title}>
          {failed.help}
        </Notice>
      )}
      {current?.isRunning.value === true ? (
        <Progress>{words.sending(wholeNumber(current.done.value), wholeNumber(current.documents.length))}</Progress>
      ) : null}
      <div>
        <Button free kind="main" icon="proofs" type="submit" busy={current?.isRunning.value === true}>
          {words.button}
        </Button>
      </div>
    </form>
  );
}
