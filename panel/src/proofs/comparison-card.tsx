import { useSignal } from "@preact/signals";
import type { ComparedDocument, RecordedDocument } from "../../../client/index.ts";
import { Button } from "../components/button.tsx";
import { Progress } from "../components/progress.tsx";
import { Segments } from "../components/segments.tsx";
import { type Column, Table } from "../components/table.tsx";
import { ErrorNotice } from "../errors/error-notice.tsx";
import { Hash } from "../explorer/hash.tsx";
import { utcText } from "../format/moment.tsx";
import { wholeNumber } from "../format/numbers.ts";
import { texts } from "../texts/texts.ts";
import type { Verification } from "../verify/verification.ts";
import { isDocumentId } from "../recording/document-id.ts";
import { type Compared, comparison } from "./comparison.ts";
import { saveComparisonCsv } from "./documents-csv.ts";

const RESULTS = ["mismatch", "missing", "unrecorded", "pending", "match"] as const;
type Result = (typeof RESULTS)[number];
/** Rows that are drawn at once. */
const PAGE_ROWS = 100;

/** Compares files with the records of their names, and shows the newest comparison. */
export function ComparisonCard({ verification }: { verification: Verification }) {
  const { comparison: words } = texts.value.proofs;
  const given = verification.rows.value.flatMap(({ name, hash, size }) =>
    hash === undefined || size === undefined ? [] : [{ name, hash }],
  );
  const files = given.filter(({ name }) => isDocumentId(name));
  const result = comparison.result.value;
  const progress = comparison.progress.value;
  return (
    <section class="card stack comparison">
      <div class="row spread">
        <div>
          <h2>{words.title}</h2>
          <p class="muted">{words.about}</p>
        </div>
        <div class="row">
          {files.length === 0 || verification.isBusy.value ? null : (
            <Button free busy={progress !== undefined} onClick={() => void comparison.compare(files)}>
              {words.button(wholeNumber(files.length))}
            </Button>
          )}
          {result === undefined ? (
            <Button free busy={progress !== undefined} onClick={() => void comparison.showNewest()}>
              {words.newest}
            </Button>
          ) : null}
        </div>
      </div>
      {given.length === files.length ? null : (
        <p class="small muted">{words.left(wholeNumber(given.length - files.length))}</p>
      )}
      {progress === undefined ? null : (
        <div class="row spread">
          <Progress>{words.running(wholeNumber(progress))}</Progress>
          <Button free onClick={() => comparison.stop()}>
            {texts.value.verify.stop}
          </Button>
        </div>
      )}
      {comparison.failure.value === undefined ? null : <ErrorNotice error={comparison.failure.value} />}
      {result === undefined ? null : <Outcome key={result.finishedAt} result={result} />}
    </section>
  );
}

function Outcome({ result }: { result: Compared }) {
  const { comparison: words } = texts.value.proofs;
  const missing = comparison.missing.value;
  const countOf = (each: Result): number => (each === "missing" ? missing.length : result.totals[each]);
  const hasMore = comparison.hasMoreMissing.value;
  const kinds = RESULTS.filter((each) => countOf(each) > 0 || (each === "missing" && hasMore));
  const isComplete =
    result.id !== null && !hasMore && missing.length === 0 && result.totals.match === result.totals.documents;
  const chosen = useSignal<Result | undefined>(undefined);
  const shown = useSignal(PAGE_ROWS);
  const kind = chosen.value ?? kinds.find((each) => each === "missing" || result.rows !== undefined);
  const rows: readonly (ComparedDocument | RecordedDocument)[] =
    kind === "missing" ? missing : (result.rows?.filter((row) => row.result === kind) ?? []);
  return (
    <>
      <p>
        {words.finished(utcText(result.finishedAt), wholeNumber(result.totals.documents))}
        {isComplete ? ` ${words.allMatch}` : null}
        {result.id === null ? ` ${words.notKept}` : null}
      </p>
      <div class="row spread no-print">
        {kind === undefined ? null : (
          <Segments
            label={words.title}
            value={kind}
            of={kinds.map((each) => ({
              value: each,
              title: `${words.results[each]} ${wholeNumber(countOf(each))}${each === "missing" && hasMore ? "+" : ""}`,
            }))}
            onChoose={(value) => {
              chosen.value = value;
              shown.value = PAGE_ROWS;
            }}
          />
        )}
        <Button free icon="download" onClick={() => saveComparisonCsv(result.rows ?? [], missing)}>
          {texts.value.verify.csv}
        </Button>
      </div>
      {hasMore ? <p class="muted small">{words.partial}</p> : null}
      {rows.length > 0 ? (
        <Table
          caption={words.title}
          columns={columns()}
          rows={rows.slice(0, shown.value)}
          keyOf={({ document_id, hash }) => `${hash} ${document_id}`}
        />
      ) : kind === undefined ? null : (
        <p class="muted small">{kind === "missing" ? words.noneSoFar : words.totalsOnly}</p>
      )}
      {rows.length > shown.value || (kind === "missing" && hasMore) ? (
        <div>
          <Button
            free
            busy={comparison.progress.value !== undefined}
            onClick={() => {
              if (rows.length > shown.value) shown.value += PAGE_ROWS;
              else void comparison.moreMissing().then(() => (shown.value += PAGE_ROWS));
            }}
          >
            {texts.value.proofs.more}
          </Button>
        </div>
      ) : null}
    </>
  );
}

function columns(): readonly Column<ComparedDocument | RecordedDocument>[] {
  const { proofs: words } = texts.value;
  return [
    { title: words.columns.document, cell: ({ document_id }) => <span class="proofs-name">{document_id}</span> },
    {
      title: words.comparison.given,
      cell: (row) => ("result" in row ? <Hash value={row.hash} /> : null),
    },
    {
      title: words.comparison.recordedHash,
      cell: (row) =>
        "recorded_hash" in row ? (
          <Hash value={row.recorded_hash} />
        ) : "result" in row && row.result === "unrecorded" ? (
          (row.reason ?? row.recorded_as?.join(", "))
        ) : (
          <Hash value={row.hash} />
        ),
    },
    {
      title: words.columns.time,
      cell: (row) =>
        "recorded_at" in row && row.recorded_at !== null ? (
          <span class="number">{utcText(row.recorded_at)}</span>
        ) : null,
    },
  ];
}
