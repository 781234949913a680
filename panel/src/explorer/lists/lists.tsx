import { useSignal } from "@preact/signals";
import type { BlockSummary, ExploredAnchor, ListedTransaction } from "../../../../client/index.ts";
import { Badge } from "../../components/badge.tsx";
import { type Page, Pages } from "../../components/pages.tsx";
import { QueryResult } from "../../components/query-result.tsx";
import { useQuery } from "../../components/query.ts";
import { type Column, Table } from "../../components/table.tsx";
import { useTitle } from "../../components/title.ts";
import { Ago, Moment } from "../../format/moment.tsx";
import { wholeNumber } from "../../format/numbers.ts";
import { texts } from "../../texts/texts.ts";
import { explorerClient } from "../explorer-client.ts";
import { Hash } from "../hash.tsx";
import { addressOf } from "../route.ts";
import { ValidatorName } from "../validator-name.tsx";

const PAGE = 25;

/** All blocks, newest first. */
export function BlockList() {
  const { lists: words, transactionCount, block } = texts.value.explorer;
  const fetch = async (cursor?: string): Promise<Page<BlockSummary>> => {
    const { blocks: rows, next } = await explorerClient().blocks({ limit: PAGE, cursor });
    return { rows, next };
  };
  const columns: readonly Column<BlockSummary>[] = [
    { title: words.block, cell: ({ number }) => <BlockLink number={number} /> },
    { title: block.time, cell: ({ timestamp }) => <Time at={timestamp} /> },
    { title: block.transactions, cell: (each) => transactionCount(each.transaction_count) },
    { title: block.proposer, cell: ({ proposer }) => <ValidatorName of={proposer} /> },
    { title: block.hash, cell: ({ hash }) => <Hash value={hash} href={addressOf("block", hash)} /> },
  ];
  return <List title={words.blocks} fetch={fetch} columns={columns} keyOf={({ hash }) => hash} />;
}

/** All anchors of hashes and roots, newest first. */
export function AnchorList() {
  const { lists: words, anchorSize, anchor } = texts.value.explorer;
  const fetch = async (cursor?: string): Promise<Page<ExploredAnchor>> => {
    const { anchors: rows, next } = await explorerClient().anchors({ limit: PAGE, cursor });
    return { rows, next };
  };
  const columns: readonly Column<ExploredAnchor>[] = [
    { title: words.hash, cell: ({ hash }) => <Hash value={hash} href={addressOf("anchor", hash)} /> },
    { title: anchor.size, cell: ({ size }) => anchorSize(size) },
    { title: anchor.first, cell: (each) => <Time at={each.block.timestamp} /> },
    { title: words.block, cell: (each) => <BlockLink number={each.block.number} /> },
    { title: anchor.transaction, cell: ({ tx_hash }) => <Hash value={tx_hash} href={addressOf("tx", tx_hash)} /> },
  ];
  return <List title={words.anchors} fetch={fetch} columns={columns} keyOf={({ hash }) => hash} />;
}

/** All transactions, newest first; those of sessions are most of them. */
export function TransactionList() {
  const { lists: words, block, actions, states } = texts.value.explorer;
  const withoutSessions = useSignal(false);
  const without = withoutSessions.value ? "sessions" : undefined;
  const fetch = async (cursor?: string): Promise<Page<ListedTransaction>> => {
    const { transactions: rows, next } = await explorerClient().transactions({ limit: PAGE, cursor, without });
    return { rows, next };
  };
  const columns: readonly Column<ListedTransaction>[] = [
    { title: block.transaction, cell: ({ hash }) => <Hash value={hash} href={addressOf("tx", hash)} /> },
    { title: block.action, cell: ({ kind }) => actions.kinds[kind] },
    { title: block.time, cell: (each) => <Time at={each.block.timestamp} /> },
    { title: words.block, cell: (each) => <BlockLink number={each.block.number} /> },
    { title: block.from, cell: ({ from }) => <Hash value={from} href={addressOf("address", from)} /> },
    {
      title: block.result,
      cell: ({ status }) => <Badge kind={status === "succeeded" ? "good" : "bad"}>{states[status]}</Badge>,
    },
  ];
  return (
    <List title={words.transactions} of={without ?? ""} fetch={fetch} columns={columns} keyOf={({ hash }) => hash}>
      <label class="row">
        <input
          type="checkbox"
          checked={withoutSessions.value}
          onChange={(event) => (withoutSessions.value = event.currentTarget.checked)}
        />
        {words.withoutSessions}
      </label>
    </List>
  );
}

function List<T>({
  title,
  of = "",
  fetch,
  columns,
  keyOf,
  children,
}: {
  title: string;
  /** What changes the list. */
  of?: string;
  fetch: (cursor?: string) => Promise<Page<T>>;
  columns: readonly Column<T>[];
  keyOf: (row: T) => string;
  children?: preact.ComponentChildren;
}) {
  const { lists: words } = texts.value.explorer;
  useTitle(title);
  const query = useQuery(() => fetch(), `${title} ${of}`);
  return (
    <section class="stack">
      <h1>{title}</h1>
      {children}
      <QueryResult of={query}>
        {(first) => (
          <Pages first={first} fetch={fetch}>
            {(rows, hasMore) =>
              rows.length === 0 ? (
                <p class="muted">{hasMore ? words.noneYet : words.none}</p>
              ) : (
                <Table caption={title} rows={rows} keyOf={keyOf} columns={columns} />
              )
            }
          </Pages>
        )}
      </QueryResult>
    </section>
  );
}

function BlockLink({ number }: { number: number }) {
  return (
    <a class="number" href={addressOf("block", String(number))}>
      {wholeNumber(number)}
    </a>
  );
}

function Time({ at }: { at: number }) {
  return (
    <>
      <Moment at={at} />
      <div class="small muted">
        <Ago at={at} />
      </div>
    </>
  );
}
