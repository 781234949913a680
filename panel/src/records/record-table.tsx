import { useMemo, useRef } from "preact/hooks";
import type { FoundRecord } from "../../../client/index.ts";
import { Badge } from "../components/badge.tsx";
import { MarkBadges } from "../components/mark-badges.tsx";
import { useVirtualRows } from "../components/virtual-rows.ts";
import { Moment } from "../format/moment.tsx";
import { shortened } from "../format/shortened.ts";
import { addressOf } from "../route.ts";
import { session } from "../session/session.ts";
import { texts } from "../texts/texts.ts";
import { namesIn, valuesOf } from "./payload-columns.ts";

/** Columns for values of payloads; the page of a record's transaction has all of them. */
const MOST_NAMES = 8;
/** Characters of a cell; it is not wider than some thirty of them. */
const MOST_CHARACTERS = 200;
/** Height of a row, as in the style sheet. */
const ROW_PIXELS = 44;

/** Records, each in a line with the values of its payload. Only those in sight are in the page. */
export function RecordTable({ records }: { records: readonly FoundRecord[] }) {
  const { records: words } = texts.value;
  const body = useRef<HTMLTableSectionElement>(null);
  const { first, end, above, below } = useVirtualRows(body, records.length, ROW_PIXELS);
  const names = useMemo(() => namesIn(records).slice(0, MOST_NAMES), [records]);
  return (
    <div class="table-frame" tabIndex={0} role="region" aria-label={words.title}>
      <table class="table record-table" aria-rowcount={records.length + 1}>
        <thead>
          <tr aria-rowindex={1}>
            {[words.code, words.topic, words.time, ...names, words.sender, words.position].map((title, index) => (
              <th scope="col" key={index}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          <Space height={above} />
          {records.slice(first, end).map((record, index) => (
            <Row key={first + index} record={record} names={names} number={first + index} />
          ))}
          <Space height={below} />
        </tbody>
      </table>
    </div>
  );
}

/** In place of rows that are not drawn. */
function Space({ height }: { height: number }) {
  return height === 0 ? null : <tr class="no-print" aria-hidden="true" style={{ height: `${height}px` }} />;
}

function Row({ record, names, number }: { record: FoundRecord; names: readonly string[]; number: number }) {
  const { records: words } = texts.value;
  const { code, topic, sender, createdAt, location } = record;
  const at = Date.parse(createdAt) / 1000;
  const values = valuesOf(record);
  const href = location && addressOf("explorer", "tx", location.transactionHash);
  const isOwn = sender.toLowerCase() === session.current.value?.account.toLowerCase();
  return (
    <tr class="record" aria-rowindex={number + 2}>
      <td>
        {href === undefined ? code : <a href={href}>{code}</a>} <MarkBadges mark={record.mark} />
      </td>
      <td>{topic}</td>
      <td class="number">{Number.isNaN(at) ? createdAt : <Moment at={at} />}</td>
      {names.map((name) => (
        <td key={name} class="number" title={values.get(name)?.slice(0, MOST_CHARACTERS)}>
          {values.get(name)?.slice(0, MOST_CHARACTERS)}
        </td>
      ))}
      <td>
        <code title={sender}>{shortened(sender)}</code> {isOwn ? <Badge kind="plain">{words.you}</Badge> : null}
      </td>
      <td class="number">{location && words.positionOf(location.chainId, location.blockNumber)}</td>
    </tr>
  );
}
