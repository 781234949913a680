import type { RowChecks } from "../../../client/index.ts";
import { MarkBadges } from "../components/mark-badges.tsx";
import { Badge } from "../components/badge.tsx";
import { CodeBlock } from "../components/code-block.tsx";
import { Facts } from "../components/facts.tsx";
import { Icon } from "../components/icon.tsx";
import { JsonView } from "../components/json-view.tsx";
import { writtenJsonOfBase64 } from "../components/written-json.ts";
import { texts } from "../texts/texts.ts";
import { ArgumentTable } from "./argument-table.tsx";
import type { Decoded } from "./decoding.ts";

/** The index of the segment with the payload. */
const PAYLOAD_SEGMENT = 4;

/** A decoded transaction: summary first, then the details. */
export function DecodedView({ decoded }: { decoded: Decoded }) {
  const words = texts.value.decode;
  const { transaction, segments, table, checks, transactionHash } = decoded;
  return (
    <div class="stack stack-wide">
      <section class="card stack">
        <div class="row spread">
          <h2>{words.summary(String(transaction.rowid.reference), table)}</h2>
          <div class="row">
            <CheckBadges checks={checks} />
            <OnChainBadge decoded={decoded} />
            <MarkBadges mark={decoded.record} />
          </div>
        </div>
        <Facts
          of={[
            [words.signer, <code>{checks.signer ?? words.notSigned}</code>],
            checks.binding === null ? undefined : [words.signature, words.bindings[checks.binding]],
            [
              words.function,
              <>
                <code>{decoded.function}</code>{" "}
                <span class="muted">{decoded.function === "insert" ? words.insertHelp : words.setHelp}</span>
              </>,
            ],
            transactionHash === undefined
              ? undefined
              : [
                  words.transaction,
                  <a class="inline-link mono" href={`/explorer/tx/${transactionHash}`}>
                    {transactionHash}
                    <Icon name="link" size={16} />
                  </a>,
                ],
          ]}
        />
        <h3>{words.payload}</h3>
        <JsonView value={writtenJsonOfBase64(segments[PAYLOAD_SEGMENT] ?? "")} label={words.payload} />
      </section>
      <section class="stack">
        <h2>{words.row}</h2>
        <div class="card">
          <Facts
            of={segments.map(
              (segment, index) =>
                [words.segments[index] ?? String(index + 1), <span class="mono">{segment}</span>] as const,
            )}
          />
        </div>
        <CodeBlock text={transaction.rowdata.filechain} label={words.row} />
      </section>
      <section class="stack">
        <h2>{words.fields}</h2>
        <ArgumentTable transaction={transaction} />
      </section>
    </div>
  );
}

function CheckBadges({ checks: { signer, binding, signed_by_sender, row_id_matches } }: { checks: RowChecks }) {
  const words = texts.value.decode;
  return (
    <>
      {signed_by_sender ? (
        <Badge kind="good">{words.signedBySender}</Badge>
      ) : binding === "contract" ? (
        <Badge kind="warning">{words.signedByContract}</Badge>
      ) : (
        <Badge kind="bad">{signer === null ? words.notSigned : words.signedByOther}</Badge>
      )}
      {row_id_matches ? null : <Badge kind="bad">{words.otherRowId}</Badge>}
    </>
  );
}

function OnChainBadge({ decoded: { onChain } }: { decoded: Decoded }) {
  const words = texts.value.decode;
  switch (onChain) {
    case "current":
      return <Badge kind="good">{words.onChain}</Badge>;
    case "overwritten":
      return <Badge kind="warning">{words.differs}</Badge>;
    case "missing":
      return <Badge kind="warning">{words.notOnChain}</Badge>;
  }
}
