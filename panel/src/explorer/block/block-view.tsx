import type { ExploredBlock } from "../../../../client/index.ts";
import { Badge } from "../../components/badge.tsx";
import { Empty } from "../../components/empty.tsx";
import { Facts } from "../../components/facts.tsx";
import { Icon } from "../../components/icon.tsx";
import { type Page, Pages } from "../../components/pages.tsx";
import { Table } from "../../components/table.tsx";
import { Ago, Moment } from "../../format/moment.tsx";
import { byteSize, wholeNumber } from "../../format/numbers.ts";
import { texts } from "../../texts/texts.ts";
import { QueryResult } from "../../components/query-result.tsx";
import { useQuery } from "../../components/query.ts";
import { explorerClient, ifReadable } from "../explorer-client.ts";
import { Hash } from "../hash.tsx";
import { NotFound } from "../not-found.tsx";
import { addressOf } from "../route.ts";
import { useTitle } from "../../components/title.ts";
import { ValidatorName } from "../validator-name.tsx";

const PAGE = 50;

/** A block, and the transactions in it. */
export function BlockView({ id }: { id: string }) {
  const { block } = texts.value.explorer;
  const query = useQuery(() => ifReadable(explorerClient().block(id, { limit: PAGE })), id);
  return (
    <QueryResult of={query} missing={<NotFound title={block.missing}>{block.missingHelp}</NotFound>}>
      {(found) => <Block block={found} />}
    </QueryResult>
  );
}

function Block({ block }: { block: ExploredBlock }) {
  const { block: words } = texts.value.explorer;
  const title = words.title(wholeNumber(block.number));
  useTitle(title);
  return (
    <>
      <div class="heading">
        <h1>{title}</h1>
        <nav class="row" aria-label={words.neighbours}>
          {block.number === 0 ? null : (
            <a class="button" href={addressOf("block", String(block.number - 1))}>
              <Icon name="previous" />
              {words.previous}
            </a>
          )}
          <a class="button" href={addressOf("block", String(block.number + 1))}>
            {words.next}
            <Icon name="next" />
          </a>
        </nav>
      </div>
      <section class="card stack">
        <Facts
          of={[
            [
              words.time,
              <>
                <Moment at={block.timestamp} />{" "}
                <span class="muted">
                  (<Ago at={block.timestamp} />)
                </span>
              </>,
            ],
            [words.hash, <Hash whole copy value={block.hash} />],
            [words.parent, <Hash whole value={block.parent_hash} href={addressOf("block", block.parent_hash)} />],
            [words.proposer, <ValidatorName of={block.proposer} />],
            block.commit_seals && [words.seals, <Seals seals={block.commit_seals} />],
            [
              words.gas,
              <span class="number">
                {wholeNumber(block.gas_used)} / {wholeNumber(block.gas_limit)}
              </span>,
            ],
            block.size === undefined ? undefined : [words.size, byteSize(block.size)],
          ]}
        />
      </section>
      <section class="stack">
        <h2>{texts.value.explorer.transactionCount(block.transaction_count)}</h2>
        {block.transaction_count === 0 ? (
          <Empty icon="explorer" title={words.empty}>
            <p>{words.emptyHelp}</p>
          </Empty>
        ) : (
          <Transactions block={block} />
        )}
      </section>
    </>
  );
}

function Seals({
  seals: { protocol, validators, signers, quorum },
}: {
  seals: NonNullable<ExploredBlock["commit_seals"]>;
}) {
  const { block } = texts.value.explorer;
  const protocols = { ibft2: "IBFT 2.0", qbft: "QBFT" };
  return (
    <div class="stack seals">
      <div class="row">
        <Badge kind={signers.length >= quorum ? "good" : "warning"}>
          {block.sealed(signers.length, validators.length)}
        </Badge>
        <span class="muted">
          {protocols[protocol]} · {block.quorum(quorum)}
        </span>
      </div>
      <ul class="row">
        {signers.map((signer) => (
          <li key={signer.address}>
            <ValidatorName of={signer} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function Transactions({ block }: { block: ExploredBlock }) {
  const { block: words, actions, states } = texts.value.explorer;
  const fetch = async (cursor: string): Promise<Page<ExploredBlock["transactions"][number]>> => {
    const page = await explorerClient().block(block.hash, { limit: PAGE, cursor });
    if (page === undefined) throw new Error("the node does not have the block now");
    return { rows: page.transactions, next: page.next };
  };
  return (
    <Pages first={{ rows: block.transactions, next: block.next }} fetch={fetch}>
      {(rows) => (
        <Table
          caption={words.transactions}
          rows={rows}
          keyOf={({ hash }) => hash}
          columns={[
            { title: words.transaction, cell: ({ hash }) => <Hash value={hash} href={addressOf("tx", hash)} /> },
            { title: words.action, cell: ({ kind }) => actions.kinds[kind] },
            { title: words.from, cell: ({ from }) => <Hash value={from} href={addressOf("address", from)} /> },
            {
              title: words.result,
              cell: ({ status }) => <Badge kind={status === "succeeded" ? "good" : "bad"}>{states[status]}</Badge>,
            },
          ]}
        />
      )}
    </Pages>
  );
}
