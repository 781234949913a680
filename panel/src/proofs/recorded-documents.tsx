import { useEffect } from "preact/hooks";
import type { RecordedDocument } from "../../../client/index.ts";
import { AccessField } from "../access/access-field.tsx";
import { isAccessNeeded } from "../access/proof-access.ts";
import { Button } from "../components/button.tsx";
import { Empty } from "../components/empty.tsx";
import { Field } from "../components/field.tsx";
import { Notice } from "../components/notice.tsx";
import { Progress } from "../components/progress.tsx";
import { RetryForm } from "../components/retry-form.tsx";
import { type Column, Table } from "../components/table.tsx";
import { ErrorNotice } from "../errors/error-notice.tsx";
import { Hash } from "../explorer/hash.tsx";
import { utcText } from "../format/moment.tsx";
import { wholeNumber } from "../format/numbers.ts";
import { recorder } from "../recording/recorder.ts";
import { addressOf } from "../route.ts";
import { texts } from "../texts/texts.ts";
import { bundles } from "./bundles-zip.ts";
import { saveDocumentsCsv } from "./documents-csv.ts";
import { list } from "./recorded-list.ts";

/** Names of documents without a bundle that are shown. */
const MOST_NAMES = 10;

/** The list of what is recorded: newest first, with a search. */
export function RecordedDocuments() {
  const { proofs: words } = texts.value;
  // What was recorded meanwhile is the newest.
  useEffect(() => void ((list.isUnused || list.isUntouched) && list.search()), [recorder.acceptedCount.value]);
  const documents = list.documents.value;
  const failure = list.failure.value;
  return (
    <section class="stack recorded">
      <h2>{words.recorded}</h2>
      <SearchForm />
      {failure === undefined ? null : (
        <RetryForm error={failure} onRetry={() => void list.more()}>
          {isAccessNeeded.value ? <AccessField /> : null}
        </RetryForm>
      )}
      {list.proofId.value === undefined ? null : (
        <p>
          <a href={addressOf("proof", list.proofId.value)}>{words.thisProof}</a>
        </p>
      )}
      {documents.length === 0 ? null : (
        <>
          <Actions documents={documents} />
          <Table caption={words.recorded} columns={columns()} rows={documents} keyOf={({ id }) => id} />
        </>
      )}
      <End count={documents.length} />
    </section>
  );
}

function SearchForm() {
  const { proofs: words } = texts.value;
  return (
    <form
      class="columns no-print"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        void list.search();
      }}
    >
      <Field label={words.search} hint={words.searchHint}>
        {(control) => (
          <input
            {...control}
            type="search"
            maxLength={512}
            value={list.text.value}
            onInput={(event) => (list.text.value = event.currentTarget.value)}
          />
        )}
      </Field>
      {(["from", "to"] as const).map((name) => (
        <Field key={name} label={words[name]}>
          {(control) => (
            <input
              {...control}
              type="date"
              min="1970-01-01"
              max={new Date().toISOString().slice(0, 10)}
              value={list[name].value}
              onInput={(event) => (list[name].value = event.currentTarget.value)}
            />
          )}
        </Field>
      ))}
      <div class="proofs-find">
        <Button free type="submit" icon="search">
          {words.find}
        </Button>
      </div>
    </form>
  );
}

function Actions({ documents }: { documents: readonly RecordedDocument[] }) {
  const { proofs: words } = texts.value;
  const selected = list.selected.value;
  const chosen = documents.filter(({ id }) => selected.has(id));
  const isAll = chosen.length === documents.length;
  const progress = bundles.progress.value;
  const [failed] = bundles.missing.value;
  return (
    <div class="stack no-print">
      <div class="row">
        <Button free onClick={() => (list.selected.value = new Set(isAll ? [] : documents.map(({ id }) => id)))}>
          {isAll ? words.selectNone : words.selectAll(wholeNumber(documents.length))}
        </Button>
        <Button
          free
          icon="download"
          disabled={chosen.length === 0}
          busy={progress !== undefined}
          onClick={() => void bundles.save(chosen)}
        >
          {words.zip(wholeNumber(chosen.length))}
        </Button>
        <Button free icon="download" onClick={() => saveDocumentsCsv(chosen.length === 0 ? documents : chosen)}>
          {texts.value.verify.csv}
        </Button>
      </div>
      {progress === undefined ? null : (
        <div class="row spread">
          <Progress>{words.fetching(wholeNumber(progress.done), wholeNumber(progress.all))}</Progress>
          <Button free onClick={() => bundles.stop()}>
            {texts.value.verify.stop}
          </Button>
        </div>
      )}
      {failed === undefined ? null : (
        <>
          <Notice kind="warning" title={words.withoutBundle(wholeNumber(bundles.missing.value.length))}>
            {bundles.missing.value
              .slice(0, MOST_NAMES)
              .map(({ name }) => name)
              .join(", ")}
          </Notice>
          <ErrorNotice kind="warning" error={failed.reason} />
        </>
      )}
    </div>
  );
}

function End({ count }: { count: number }) {
  const { proofs: words } = texts.value;
  if (list.isLoading.value)
    return (
      <div class="row spread">
        <Progress>{words.searching}</Progress>
        <Button free onClick={() => list.stop()}>
          {texts.value.verify.stop}
        </Button>
      </div>
    );
  if (list.isAtEnd.value)
    return count > 0 ? (
      <p class="muted small">{words.all(wholeNumber(count))}</p>
    ) : list.proofId.value !== undefined ? null : (
      <Empty icon="proofs" title={list.isUntouched ? words.noneYet : words.none}>
        {list.isUntouched ? <p>{words.noneHelp}</p> : null}
      </Empty>
    );
  return list.failure.value !== undefined ? null : (
    <div>
      <Button free onClick={() => void list.more()}>
        {words.more}
      </Button>
    </div>
  );
}

function columns(): readonly Column<RecordedDocument>[] {
  const { proofs: words } = texts.value;
  return [
    {
      title: words.columns.select,
      cell: ({ id, document_id }) => (
        <input
          type="checkbox"
          aria-label={words.select(document_id)}
          checked={list.selected.value.has(id)}
          onChange={() => list.toggle(id)}
        />
      ),
    },
    {
      title: words.columns.document,
      cell: ({ id, document_id, fault }) => (
        <>
          <a class="proofs-name" href={addressOf("proof", id)}>
            {document_id}
          </a>
          {fault === undefined ? null : <div class="small proofs-fault">{fault}</div>}
        </>
      ),
    },
    {
      title: words.columns.time,
      cell: ({ recorded_at: at }) => (at === null ? null : <span class="number">{utcText(at)}</span>),
    },
    { title: words.columns.type, cell: ({ metadata }) => metadata.type },
    { title: "SHA-256", cell: ({ hash }) => <Hash value={hash} copy /> },
  ];
}
