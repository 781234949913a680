import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { Button } from "../components/button.tsx";
import { Segments } from "../components/segments.tsx";
import { utcText } from "../format/moment.tsx";
import { wholeNumber } from "../format/numbers.ts";
import { texts } from "../texts/texts.ts";
import { saveResultsCsv } from "./results-csv.ts";
import { countsOf, otherName, reasonOf, timeOf, titleOf, trustOf } from "./reason.ts";
import { KINDS, type Row, type Verdict } from "./verdict.ts";
import { VerdictBadge } from "./verdict-badge.tsx";
import { VerdictDetails } from "./verdict-details.tsx";
import type { Verification } from "./verification.ts";

/** Rows that are drawn at once; ten thousand would make the page slow. */
const PAGE_ROWS = 200;

/** What can be done with one file, below its verdict. */
export type More = (row: Row) => ComponentChildren;

/** The verdict of each file in a table; of a single file with everything about it. */
export function Results({ verification, more }: { verification: Verification; more: More }) {
  const { verify: words } = texts.value;
  const rows = verification.rows.value;
  const chosen = useSignal<Verdict["kind"] | "all">("all");
  const shown = useSignal(PAGE_ROWS);
  const [only, ...others] = rows;
  if (only === undefined) return null;
  if (others.length === 0)
    return (
      <section class="card stack" aria-label={words.results}>
        <h2>{titleOf(texts.value, only)}</h2>
        <VerdictDetails row={only}>{more(only)}</VerdictDetails>
        <Actions rows={rows} />
      </section>
    );
  const counts = countsOf(rows);
  const kinds = KINDS.filter((kind) => counts.has(kind));
  const kind = chosen.value !== "all" && counts.has(chosen.value) ? chosen.value : "all";
  // The worst ones first: they are what a reader looks for.
  const order = (row: Row) => (row.verdict === undefined ? KINDS.length : KINDS.indexOf(row.verdict.kind));
  const listed = rows
    .filter(({ verdict }) => kind === "all" || verdict?.kind === kind)
    .toSorted((a, b) => order(a) - order(b));
  return (
    <section class="stack" aria-label={words.results}>
      <div class="row spread no-print">
        <Segments
          label={words.show}
          value={kind}
          of={[
            { value: "all", title: `${words.all} ${wholeNumber(rows.length)}` },
            ...kinds.map((each) => ({
              value: each,
              title: `${words.kindsShort[each]} ${wholeNumber(counts.get(each) ?? 0)}`,
            })),
          ]}
          onChoose={(value) => (chosen.value = value)}
        />
        <Actions
          rows={rows}
          onPrint={() => {
            const before = shown.value;
            shown.value = rows.length;
            addEventListener("afterprint", () => (shown.value = before), { once: true });
          }}
        />
      </div>
      <div class="table-frame" tabIndex={0} role="region" aria-label={words.table}>
        <table class="table">
          <thead>
            <tr>
              {Object.values(words.columns).map((title) => (
                <th scope="col" key={title}>
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {listed.slice(0, shown.value).map((row) => (
              <ResultRow key={row.id} row={row} more={more} />
            ))}
          </tbody>
        </table>
      </div>
      {listed.length <= shown.value ? null : (
        <div class="row">
          <span class="muted small">{words.shownOf(wholeNumber(shown.value), wholeNumber(listed.length))}</span>
          <Button free onClick={() => (shown.value += PAGE_ROWS)}>
            {words.showMore(wholeNumber(Math.min(PAGE_ROWS, listed.length - shown.value)))}
          </Button>
        </div>
      )}
    </section>
  );
}

function Actions({ rows, onPrint }: { rows: readonly Row[]; onPrint?: () => void }) {
  const { verify: words } = texts.value;
  return (
    <div class="row">
      <Button free icon="download" onClick={() => saveResultsCsv(rows)}>
        {words.csv}
      </Button>
      <Button
        free
        onClick={() => {
          onPrint?.();
          // After the rows are drawn.
          setTimeout(() => print());
        }}
      >
        {words.print}
      </Button>
    </div>
  );
}

function ResultRow({ row, more }: { row: Row; more: More }) {
  const { verify: words } = texts.value;
  const isOpen = useSignal(false);
  const time = timeOf(row.verdict);
  const recordedAs = otherName(row);
  return (
    <>
      <tr>
        <td>
          <button
            type="button"
            class="result-name"
            aria-expanded={isOpen.value}
            onClick={() => (isOpen.value = !isOpen.value)}
          >
            {titleOf(texts.value, row)}
          </button>
          {recordedAs === undefined ? null : <div class="small muted">{words.recordedAs(recordedAs)}</div>}
        </td>
        <td>
          {row.verdict === undefined ? null : (
            <>
              <VerdictBadge kind={row.verdict.kind} />
              <div class="result-reason small muted">{reasonOf(texts.value, row.verdict)}</div>
            </>
          )}
        </td>
        <td class="number">{time === undefined ? null : utcText(time)}</td>
        <td>{trustOf(texts.value, row.verdict)}</td>
      </tr>
      {isOpen.value ? (
        <tr>
          <td colSpan={4}>
            <VerdictDetails row={row}>{more(row)}</VerdictDetails>
          </td>
        </tr>
      ) : null}
    </>
  );
}
