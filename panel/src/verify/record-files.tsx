import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { AccessField } from "../access/access-field.tsx";
import { isAccessNeeded, noteUnauthorized, proofClient } from "../access/proof-access.ts";
import { proofFailure } from "../access/proof-failure.ts";
import { Button } from "../components/button.tsx";
import { Field } from "../components/field.tsx";
import { Notice } from "../components/notice.tsx";
import { Progress } from "../components/progress.tsx";
import { wholeNumber } from "../format/numbers.ts";
import { texts } from "../texts/texts.ts";
import type { Row } from "./verdict.ts";
import type { Verification } from "./verification.ts";

/** The most documents of one request. */
const MOST_DOCUMENTS = 1_000;

/** Records the files that the server has not recorded: their hashes, under their names. */
export function RecordFiles({ rows, verification }: { rows: readonly Row[]; verification: Verification }) {
  const { record: words } = texts.value.verify;
  const [only, ...others] = rows;
  const isOne = others.length === 0;
  const id = useSignal(only?.name ?? "");
  const type = useSignal("");
  const recorded = useSignal<number | undefined>(undefined);
  const failure = useSignal<unknown>(undefined);
  const ended = useRef(new AbortController());
  useEffect(() => () => ended.current.abort(), []);
  const isMissing = isOne && id.value.trim() === "";

  const record = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (recorded.value !== undefined || isMissing) return;
    recorded.value = 0;
    failure.value = undefined;
    const { signal } = ended.current;
    const metadata = { source: "panel", ...(type.value.trim() === "" ? {} : { type: type.value.trim() }) };
    const documents = rows.flatMap(({ name, hash }) =>
      hash === undefined ? [] : [{ document_id: isOne ? id.value.trim() : name, hash, metadata }],
    );
    try {
      for (let start = 0; start < documents.length; start += MOST_DOCUMENTS) {
        const some = documents.slice(start, start + MOST_DOCUMENTS);
        await proofClient().submitTogether(some, { signal });
        recorded.value = start + some.length;
      }
    } catch (error) {
      if (signal.aborted) return;
      noteUnauthorized(error);
      failure.value = error;
    }
    recorded.value = undefined;
    if (failure.value === undefined) await verification.check();
  };

  const failed = failure.value === undefined ? undefined : proofFailure(failure.value);
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
                value={id.value}
                maxLength={512}
                autocomplete="off"
                onInput={(event) => (id.value = event.currentTarget.value)}
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
      {recorded.value === undefined ? null : (
        <Progress>{words.sending(wholeNumber(recorded.value), wholeNumber(rows.length))}</Progress>
      )}
      <div>
        <Button free kind="main" icon="proofs" type="submit" busy={recorded.value !== undefined}>
          {words.button}
        </Button>
      </div>
    </form>
  );
}
