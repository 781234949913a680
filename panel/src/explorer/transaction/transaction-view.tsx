import type { BlockSummary, ExploredTransaction } from "../../../../client/index.ts";
import { Badge } from "../../components/badge.tsx";
import { CodeBlock } from "../../components/code-block.tsx";
import { Facts } from "../../components/facts.tsx";
import { More } from "../../components/more.tsx";
import { Notice } from "../../components/notice.tsx";
import { Ago, Moment } from "../../format/moment.tsx";
import { wholeNumber } from "../../format/numbers.ts";
import { texts } from "../../texts/texts.ts";
import { QueryResult } from "../../components/query-result.tsx";
import { useQuery } from "../../components/query.ts";
import { explorerClient, ifReadable } from "../explorer-client.ts";
import { Hash } from "../hash.tsx";
import { NotFound } from "../not-found.tsx";
import { addressOf, VERIFY } from "../route.ts";
import { useTitle } from "../../components/title.ts";
import { Arguments } from "./arguments.tsx";
import { actionTitle } from "./action-title.ts";
import { ActionCard } from "./action-card.tsx";
import { Logs } from "./logs.tsx";

const EVERY_MILLISECONDS = 10_000;
const BADGES = { pending: "warning", succeeded: "good", reverted: "bad" } as const;

/** A transaction: summary first, then all details. */
export function TransactionView({ hash }: { hash: string }) {
  const words = texts.value.explorer.transaction;
  const query = useQuery(() => ifReadable(explorerClient().transaction(hash)), hash, EVERY_MILLISECONDS);
  return (
    <QueryResult of={query} missing={<NotFound title={words.missing}>{words.missingHelp}</NotFound>}>
      {(transaction) => <Transaction transaction={transaction} />}
    </QueryResult>
  );
}

function Transaction({ transaction }: { transaction: ExploredTransaction }) {
  const { transaction: words, states } = texts.value.explorer;
  const { status, reason, action, call, undecoded, logs, input } = transaction;
  const title = actionTitle(transaction);
  useTitle(title);
  return (
    <>
      <div class="heading">
        <div>
          <p class="small muted">{words.title}</p>
          <h1>{title}</h1>
        </div>
        <Badge kind={BADGES[status]}>{states[status]}</Badge>
      </div>
      {status === "reverted" ? (
        <Notice kind="bad" title={words.reverted}>
          {reason === undefined ? null : <Reason of={reason} />}
        </Notice>
      ) : null}
      {status === "pending" ? (
        <Notice kind="warning" title={words.pending}>
          {words.pendingHelp}
        </Notice>
      ) : null}
      {undecoded === undefined ? null : (
        <Notice kind="warning" title={words.undecoded}>
          {undecoded}
        </Notice>
      )}
      <ActionCard action={action} hash={transaction.hash} />
      <Position transaction={transaction} />
      {action.kind === "anchor" && action.first !== null ? (
        <p>
          <a href={VERIFY}>{texts.value.explorer.anchor.verify}</a>
        </p>
      ) : null}
      <div class="card stack">
        {call === undefined ? null : (
          <More title={words.call(call.signature)}>
            <Arguments of={call.arguments} caption={words.callArguments} />
          </More>
        )}
        <More title={words.logs(logs.length)}>
          {logs.length === 0 ? <p class="muted">{words.noLogs}</p> : <Logs logs={logs} />}
        </More>
        <p>
          <a href={`/explorer/api/transactions/${transaction.hash}`} target="_blank" rel="noreferrer">
            {words.json}
          </a>
        </p>
        <More title={words.input}>
          {input === "0x" ? <p class="muted">{words.noInput}</p> : <CodeBlock text={input} label={words.input} />}
        </More>
      </div>
    </>
  );
}

const NO_ROLE = /^AccessControlUnauthorizedAccount\(.*, 0x0{64}\)$/;

/** Why a contract reverted a call: in words, and as its error. */
function Reason({ of: reason }: { of: string }) {
  const words: Readonly<Record<string, string>> = texts.value.explorer.reasons;
  const name = NO_ROLE.test(reason) ? "NotAdministrator" : (/^(\w+)\(/.exec(reason)?.[1] ?? "");
  return (
    <>
      {words[name] === undefined ? null : <p>{words[name]}</p>}
      <code>{reason}</code>
    </>
  );
}

/** The position of a transaction on the chain, and its sender. */
function Position({
  transaction: {
    hash,
    block,
    index,
    confirmations,
    from,
    to,
    nonce,
    gas_used,
    gas_limit,
    gas_price,
    value,
    deployed,
    call,
  },
}: {
  transaction: ExploredTransaction;
}) {
  const { transaction: words, contracts } = texts.value.explorer;
  const contract = call?.contract;
  return (
    <section class="card stack">
      <h2>{words.onChain}</h2>
      <Facts
        of={[
          [words.hash, <Hash whole copy value={hash} />],
          block && [
            words.time,
            <>
              <Moment at={block.timestamp} />{" "}
              <span class="muted">
                (<Ago at={block.timestamp} />)
              </span>
            </>,
          ],
          block && [
            words.block,
            <>
              <a class="number" href={addressOf("block", String(block.number))}>
                {wholeNumber(block.number)}
              </a>
              {confirmations === undefined ? null : <span class="muted"> · {words.confirmations(confirmations)}</span>}
            </>,
          ],
          [words.from, <Hash whole copy value={from} href={addressOf("address", from)} />],
          to === null
            ? undefined
            : [
                words.to,
                <>
                  {contract === undefined ? null : <>{contracts[contract]} </>}
                  <Hash whole value={to} href={addressOf("address", to)} />
                </>,
              ],
          deployed && [
            words.deployed,
            <>
              {deployed.contract === undefined ? null : <>{contracts[deployed.contract]} </>}
              <Hash whole value={deployed.address} href={addressOf("address", deployed.address)} />
            </>,
          ],
          [words.nonce, <span class="number">{wholeNumber(nonce)}</span>],
          [
            words.gas,
            <span class="number">
              {gas_used === undefined ? "" : `${wholeNumber(gas_used)} / `}
              {wholeNumber(gas_limit)}
            </span>,
          ],
          block && index !== undefined ? [words.index, <Neighbours block={block} index={index} />] : undefined,
          gas_price === "0" || gas_used === undefined
            ? undefined
            : [words.fee, <span class="number">{wholeNumber(BigInt(gas_price) * BigInt(gas_used))}</span>],
          value === "0" ? undefined : [words.value, <span class="number">{wholeNumber(BigInt(value))}</span>],
        ]}
      />
    </section>
  );
}

/** The place of a transaction in its block, and the way to those beside it. */
function Neighbours({ block, index }: { block: BlockSummary; index: number }) {
  const { transaction: words } = texts.value.explorer;
  const first = Math.max(0, index - 1);
  const query = useQuery(() => explorerClient().block(block.hash, { limit: 3, cursor: String(first) }), block.hash);
  const state = query.state.value;
  const beside = state.state === "loaded" ? state.value.transactions : [];
  const link = (at: number, text: string) => {
    const found = beside.find((each) => each.index === at);
    return found === undefined ? null : <a href={addressOf("tx", found.hash)}>{text}</a>;
  };
  return (
    <span class="row">
      <span class="number">{words.place(index + 1, block.transaction_count)}</span>
      {link(index - 1, words.previous)}
      {link(index + 1, words.next)}
    </span>
  );
}
