import { signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { AccessField } from "../access/access-field.tsx";
import { isAccessNeeded } from "../access/proof-access.ts";
import { Button } from "../components/button.tsx";
import { Field } from "../components/field.tsx";
import { Notice } from "../components/notice.tsx";
import { wholeNumber } from "../format/numbers.ts";
import { onForget } from "../session/kept.ts";
import { texts } from "../texts/texts.ts";
import type { Row } from "../verify/verdict.ts";
import type { Verification } from "../verify/verification.ts";
import { isDocumentId } from "./document-id.ts";
import { goesOnAfter, recorder } from "./recorder.ts";
import { RecordingCard } from "./recording-card.tsx";

const NONE = { id: "", name: "" };
/** The name that was entered for a file: the id of its row, in a verification. */
const entered = signal<{ readonly verification?: Verification; readonly id: string; readonly name: string }>(NONE);
onForget(() => (entered.value = NONE));

/** Whether the server has not recorded a file, or could not be asked. */
function isUnrecorded({ size, verdict }: Row): boolean {
  const isUnknown = verdict?.kind === "undetermined" && verdict.code === "server";
  return size !== undefined && (verdict?.kind === "not_recorded" || isUnknown);
}

/** Records the files that the server has not recorded: their hashes, under their names. */
export function RecordFiles({ verification }: { verification: Verification }) {
  const { record: words } = texts.value.verify;
  const type = useSignal("");
  const isOpen = recorder.open.value !== undefined;
  const nameOf = ({ id, name }: Row) =>
    entered.value.verification === verification && entered.value.id === id ? entered.value.name : name;
  const missing = verification.rows.value.filter(
    ({ size, verdict }) => size !== undefined && verdict?.kind === "not_recorded",
  );
  const isAccepted = (row: Row) => recorder.hasAccepted({ document_id: nameOf(row), hash: row.hash ?? "" });
  const open = missing.filter((row) => !isAccepted(row));
  const rows = open.length === 1 ? open : open.filter((row) => isDocumentId(nameOf(row)));
  const left = open.length - rows.length;
  const [only, ...others] = rows;
  const isOne = others.length === 0;
  const names = new Set(rows.map(nameOf));
  const isInvalid = only !== undefined && isOne && !isDocumentId(nameOf(only));

  const record = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (isInvalid) return;
    await recorder.record(
      rows.flatMap((row) => (row.hash === undefined ? [] : [[nameOf(row), row.hash] as const])),
      type.value.trim(),
    );
  };
  // Also when it ended while another view was shown. Of a server that does not respond nothing is asked.
  const isAtRest = !recorder.isRunning.value && !goesOnAfter(recorder.failure.value);
  useEffect(() => {
    if (isAtRest && verification.rows.peek().some((row) => isUnrecorded(row) && isAccepted(row)))
      void verification.check();
  }, [isAtRest]);

  const isPending = missing.length > open.length && !isOpen;
  const notices = (
    <>
      {isPending ? <Notice title={words.pending}>{words.pendingHelp}</Notice> : null}
      {names.size === rows.length ? null : (
        <Notice kind="warning" title={words.sameNames(wholeNumber(rows.length - names.size))}>
          {words.sameNamesHelp}
        </Notice>
      )}
      {left === 0 ? null : (
        <Notice kind="warning" title={words.left(wholeNumber(left))}>
          {words.documentIdInvalid}
        </Notice>
      )}
    </>
  );
  if (only === undefined || isOpen)
    return (
      <>
        {notices}
        <RecordingCard />
      </>
    );
  return (
    <form class="card stack no-print" onSubmit={(event) => void record(event)}>
      {notices}
      <div>
        <h2>{words.title(wholeNumber(rows.length), isOne)}</h2>
        <p class="muted">{words.about}</p>
      </div>
      <div class="columns">
        {isOne ? (
          <Field
            label={words.documentId}
            hint={words.documentIdHint}
            error={isInvalid ? words.documentIdInvalid : undefined}
          >
            {(control) => (
              <input
                {...control}
                value={nameOf(only)}
                autocomplete="off"
                onInput={(event) => (entered.value = { verification, id: only.id, name: event.currentTarget.value })}
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
      <RecordingCard />
      <div>
        <Button free kind="main" icon="proofs" type="submit">
          {words.button}
        </Button>
      </div>
    </form>
  );
}
