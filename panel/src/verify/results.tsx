import { useSignal } from "@preact/signals";
import { Button } from "../components/button.tsx";
import { Segments } from "../components/segments.tsx";
import { utcText } from "../format/moment.tsx";
import { wholeNumber } from "../format/numbers.ts";
import { texts } from "../texts/texts.ts";
import { countsOf, reasonOf, timeOf, trustOf } from "./reason.ts";
import { ServerDetails } from "./server-details.tsx";
import { KINDS, type Row, type Verdict } from "./verdict.ts";
import { VerdictBadge } from "./verdict-badge.tsx";
import { VerdictDetails } from "./verdict-details.tsx";
import { otherName, type Verification } from "./verification.ts";

/** Rows that are drawn at once; ten thousand would make the page slow. */
const PAGE_ROWS = 200;

/** The verdict of each file in a table; of a single file with everything about it. */
export function Results({ verification }: { verification: Verification }) {
  const { verify: words } = texts.value;
  const rows = verification.rows.value;
  const chosen = useSignal<Verdict["kind"] | "all">("all");
  const shown = useSignal(PAGE_ROWS);
  const [only, ...others] = rows;
  if (only === undefined) return null;
  if (others.length === 0)
    return (
      <section class="card stack" aria-label={words.results}>
        <h2>{only.name}</h2>
        <VerdictDetails row={only}>
          <ServerDetails row={only} verification={verification} />
        </VerdictDetails>
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
      <div class="row spread">
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
        <Actions rows={rows} />
      </div>
      <div class="table-frame" tabIndex={0} role="region" aria-label={words.results}>
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
              <ResultRow key={row.name} row={row} verification={verification} />
            ))}
          </tbody>
        </table>
      </div>
      {listed.length <= shown.value ? null : (
        <div>
          <Button free onClick={() => (shown.value += PAGE_ROWS)}>
            {words.showMore(wholeNumber(Math.min(PAGE_ROWS, listed.length - shown.value)))}
          </Button>
        </div>
      )}
    </section>
  );
}

function Actions({ rows }: { rows: readonly Row[] }) {
  const { verify: words } = texts.value;
  const save = async (): Promise<void> => (await import("./results-csv.ts")).saveCsv(rows);
  return (
    <div class="row no-print">
      <Button free icon="download" onClick={() => void save()}>
        {words.csv}
      </Button>
      <Button free onClick={() => print()}>
        {words.print}
      </Button>
    </div>
  );
}

function ResultRow({ row, verification }: { row: Row; verification: Verification }) {
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
            {row.name}
          </button>
          {recordedAs === undefined ? null : <div class="small muted">{words.recordedAs(recordedAs)}</div>}
        </td>
        <td>
          {row.verdict === undefined ? (
            words.checking
          ) : (
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
            <VerdictDetails row={row}>
              <ServerDetails row={row} verification={verification} />
            </VerdictDetails>
          </td>
        </tr>
      ) : null}
    </>
  );
}
