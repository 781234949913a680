import { computed } from "@preact/signals";
import type { BlockSummary, ExploredAnchor, ListedTransaction } from "../../../../client/index.ts";
import { Badge } from "../../components/badge.tsx";
import type { Page } from "../../components/pages.tsx";
import { QueryResult } from "../../components/query-result.tsx";
import { useQuery } from "../../components/query.ts";
import { type Column, Table } from "../../components/table.tsx";
import { useTitle } from "../../components/title.ts";
import { Ago, Moment } from "../../format/moment.tsx";
import { wholeNumber } from "../../format/numbers.ts";
import { goTo, route } from "../../route.ts";
import { texts } from "../../texts/texts.ts";
import { explorerClient } from "../explorer-client.ts";
import { Hash } from "../hash.tsx";
import { addressOf } from "../route.ts";
import { ValidatorName } from "../validator-name.tsx";

const PAGE = 25;

/** The page of a list, from the query of its address: a reader can come back to it, and give it to others. */
const shown = computed(() => {
  const query = new URLSearchParams(route.value.search);
  return {
    cursor: query.get("cursor") || undefined,
    without: query.get("without") === "sessions" ? ("sessions" as const) : undefined,
  };
});

/** Returns the address of a page of the shown list. */
function pageAt({ cursor, without }: { readonly cursor?: string; readonly without?: string | undefined }): string {
  const query = new URLSearchParams({
    ...(without === undefined ? {} : { without }),
    ...(cursor === undefined ? {} : { cursor }),
  });
  return route.value.path + (query.size === 0 ? "" : `?${query.toString()}`);
}

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
  const { without } = shown.value;
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
    <List title={words.transactions} fetch={fetch} columns={columns} keyOf={({ hash }) => hash}>
      <label class="row">
        <input
          type="checkbox"
          checked={without !== undefined}
          onChange={(event) => goTo(pageAt(event.currentTarget.checked ? { without: "sessions" } : {}), true)}
        />
        {words.withoutSessions}
      </label>
    </List>
  );
}

function List<T>({
  title,
  fetch,
  columns,
  keyOf,
  children,
}: {
  title: string;
  fetch: (cursor?: string) => Promise<Page<T>>;
  columns: readonly Column<T>[];
  keyOf: (row: T) => string;
  children?: preact.ComponentChildren;
}) {
  const { lists: words } = texts.value.explorer;
  useTitle(title);
  const { cursor, without } = shown.value;
  const query = useQuery(() => fetch(cursor), route.value.path + route.value.search);
  return (
    <section class="stack">
      <h1>{title}</h1>
      {children}
      <QueryResult of={query}>
        {({ rows, next }) => (
          <>
            {rows.length === 0 ? (
              <p class="muted">{next === undefined ? words.none : words.noneYet}</p>
            ) : (
              <Table caption={title} rows={rows} keyOf={keyOf} columns={columns} />
            )}
            {next === undefined ? null : <a href={pageAt({ without, cursor: next })}>{words.older}</a>}
          </>
        )}
      </QueryResult>
      {cursor === undefined ? null : <a href={pageAt({ without })}>{words.newest}</a>}
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
