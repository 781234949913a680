import { useSignal } from "@preact/signals";
import { submitProof } from "../../../server/proofs/api.ts";
import { AccessField } from "../access/access-field.tsx";
import { isAccessNeeded } from "../access/proof-access.ts";
import { Button } from "../components/button.tsx";
import { Field } from "../components/field.tsx";
import { Notice } from "../components/notice.tsx";
import { Progress } from "../components/progress.tsx";
import { ErrorNotice } from "../errors/error-notice.tsx";
import { wholeNumber } from "../format/numbers.ts";
import { texts } from "../texts/texts.ts";
import type { Row } from "./verdict.ts";
import type { Desk } from "./with-server.tsx";

/** Whether the server accepts a name as the id of a document; a blank one nobody would find again. */
function isDocumentId(name: string): boolean {
  return name.trim() !== "" && submitProof.body.in.shape.document_id.safeParse(name).success;
}

/** Records the files that the server has not recorded: their hashes, under their names. */
export function RecordFiles({ desk: { verification, recorder, entered } }: { desk: Desk }) {
  const { record: words } = texts.value.verify;
  const type = useSignal("");
  const progress = recorder.progress.value;
  const nameOf = ({ id, name }: Row) => (entered.value.of === id ? entered.value.name : name);
  const missing = verification.rows.value.filter(
    ({ size, verdict }) => size !== undefined && verdict?.kind === "not_recorded",
  );
  const open = missing.filter((row) => !recorder.hasAccepted({ document_id: nameOf(row), hash: row.hash ?? "" }));
  const rows = open.length === 1 ? open : open.filter((row) => isDocumentId(nameOf(row)));
  const left = open.length - rows.length;
  const [only, ...others] = rows;
  const isOne = others.length === 0;
  const isInvalid = only !== undefined && isOne && !isDocumentId(nameOf(only));

  const record = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (progress !== undefined || isInvalid) return;
    const metadata = { source: "panel", ...(type.value.trim() === "" ? {} : { type: type.value.trim() }) };
    await recorder.record(
      rows.flatMap((row) => (row.hash === undefined ? [] : [{ document_id: nameOf(row), hash: row.hash, metadata }])),
    );
    // Also after a failure: some batches can be recorded.
    await verification.check();
  };

  const isPending = missing.length > open.length && progress === undefined;
  const notices = (
    <>
      {isPending ? <Notice title={words.pending}>{words.pendingHelp}</Notice> : null}
      {left === 0 ? null : (
        <Notice kind="warning" title={words.left(wholeNumber(left))}>
          {words.documentIdInvalid}
        </Notice>
      )}
    </>
  );
  if (only === undefined && progress === undefined) return notices;
  return (
    <form class="card stack no-print" onSubmit={(event) => void record(event)}>
      {notices}
      {only === undefined ? null : (
        <div>
          <h2>{words.title(wholeNumber(rows.length), isOne)}</h2>
          <p class="muted">{words.about}</p>
        </div>
      )}
      <div class="columns">
        {isOne && only !== undefined ? (
          <Field
            label={words.documentId}
            hint={words.documentIdHint}
            error={isInvalid ? words.documentIdInvalid : undefined}
          >
            {(control) => (
              <input
                {...control}
                value={nameOf(only)}
                readOnly={progress !== undefined}
                autocomplete="off"
                onInput={(event) => (entered.value = { of: only.id, name: event.currentTarget.value })}
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
      {recorder.failure.value === undefined ? null : <ErrorNotice error={recorder.failure.value} />}
      {progress === undefined ? null : (
        <Progress>{words.sending(wholeNumber(progress.done), wholeNumber(progress.all))}</Progress>
      )}
      <div class="row">
        <Button free kind="main" icon="proofs" type="submit" busy={progress !== undefined}>
          {words.button}
        </Button>
        {progress === undefined ? null : (
          <Button free onClick={() => recorder.stop()}>
            {texts.value.verify.stop}
          </Button>
        )}
      </div>
    </form>
  );
}
