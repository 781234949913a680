import type { ComponentChildren } from "preact";
import { Facts } from "../components/facts.tsx";
import { Notice } from "../components/notice.tsx";
import { Hash } from "../explorer/hash.tsx";
import { Moment, utcText } from "../format/moment.tsx";
import { byteSize, wholeNumber } from "../format/numbers.ts";
import { texts } from "../texts/texts.ts";
import { otherName, reasonOf, timeOf, trustOf } from "./reason.ts";
import { StepList } from "./step-list.tsx";
import type { Row, StatementFacts, Verdict } from "./verdict.ts";

/** Everything about one file: the verdict, the facts, and the steps that lead to it. */
export function VerdictDetails({ row, children }: { row: Row; children?: ComponentChildren }) {
  const { verify: words } = texts.value;
  const { size, hash, verdict } = row;
  if (verdict === undefined) return null;
  const { facts } = words;
  const time = timeOf(verdict);
  const trusted = trustOf(texts.value, verdict);
  const block = verdict.kind === "verified" ? verdict.block : undefined;
  return (
    <div class="stack">
      <VerdictNotice verdict={verdict} isFile={size !== undefined} />
      {children}
      <Facts
        of={[
          fact(facts.recordedAs, otherName(row)),
          fact(facts.size, size === undefined ? undefined : byteSize(size)),
          fact("SHA-256", hash && <Hash whole copy value={hash} />),
          fact(facts.time, time === undefined ? undefined : <Moment at={time} />),
          fact(facts.block, block && `${wholeNumber(Number(block.number))} · ${facts.chain} ${block.chainId}`),
          ...serverFacts(verdict),
          ...statementFacts(verdict.kind === "verified" ? verdict.statement : undefined),
          fact(facts.trusted, trusted || undefined),
          fact(facts.evidence, "evidence" in verdict ? verdict.evidence : undefined),
        ]}
      />
      {"steps" in verdict && verdict.steps.length > 0 ? (
        <section class="stack">
          <h3>{words.steps}</h3>
          <StepList steps={verdict.steps} />
        </section>
      ) : null}
    </div>
  );
}

type Fact = readonly [name: string, value: ComponentChildren] | undefined;

function fact(name: string, value: ComponentChildren): Fact {
  return value === undefined || value === null ? undefined : [name, value];
}

/** The verdict, and why. */
export function VerdictNotice({ verdict, isFile }: { verdict: Verdict; isFile: boolean }) {
  const { verify: words } = texts.value;
  const { verified, server, kinds } = words;
  switch (verdict.kind) {
    case "verified":
      return (
        <Notice kind="good" title={kinds.verified}>
          {verdict.block !== undefined
            ? verified[verdict.trusted === "key" ? "byKey" : isFile ? "document" : "hash"](
                utcText(verdict.block.timestamp),
              )
            : verdict.documentId === undefined
              ? reasonOf(texts.value, verdict)
              : verified.stated}
        </Notice>
      );
    case "recorded":
      return <Notice title={server.recorded}>{server.recordedHelp}</Notice>;
    case "not_recorded":
      return <Notice title={server.notRecorded}>{server.notRecordedHelp}</Notice>;
    default:
      return (
        <Notice kind={verdict.kind === "not_verified" ? "bad" : "warning"} title={kinds[verdict.kind]}>
          {reasonOf(texts.value, verdict)}
        </Notice>
      );
  }
}

function serverFacts(verdict: Verdict): Fact[] {
  if (verdict.kind !== "recorded") return [];
  const { facts } = texts.value.verify;
  const { block, transaction } = verdict;
  return [
    [facts.block, <a href={`/explorer/block/${block}`}>{wholeNumber(block)}</a>],
    [facts.transaction, <Hash whole value={transaction} href={`/explorer/tx/${transaction}`} />],
  ];
}

function statementFacts(statement: StatementFacts | undefined): Fact[] {
  if (statement === undefined) return [];
  const { statement: words } = texts.value.verify;
  const { issuer, issuedAt, isTrusted, keyId, proofs, records } = statement;
  return [
    [isTrusted ? words.signed : words.claimed, issuer],
    [isTrusted ? words.at : words.claimedAt, <Moment at={issuedAt} />],
    [words.key, <span class="mono">{keyId}</span>],
    [words.records, words.recordsOf(proofs, records)],
  ];
}
