import type { BlockSummary, ExploredAnchor, ExploredChain } from "../../../../client/index.ts";
import { Facts } from "../../components/facts.tsx";
import { Ago } from "../../format/moment.tsx";
import { wholeNumber } from "../../format/numbers.ts";
import { texts } from "../../texts/texts.ts";
import { QueryResult } from "../../components/query-result.tsx";
import { useQuery } from "../../components/query.ts";
import { explorerClient } from "../explorer-client.ts";
import { Hash } from "../hash.tsx";
import { addressOf } from "../route.ts";
import { SearchBox } from "../search/search-box.tsx";
import { useTitle } from "../../components/title.ts";
import { ValidatorName } from "../validator-name.tsx";

const SHOWN = 8;
const EVERY_MILLISECONDS = 5_000;

/** Newest blocks and anchors, with links to the rest. */
export function StartView() {
  const { start } = texts.value.explorer;
  useTitle(start.newest);
  const query = useQuery(newest, "start", EVERY_MILLISECONDS);
  return (
    <>
      <div class="explorer-hero">
        <h1>{start.title}</h1>
        <p>{start.about}</p>
        <SearchBox large />
        <a href={addressOf("decode")}>{start.decode}</a>
      </div>
      <QueryResult of={query}>
        {({ chain, blocks, anchors }) => (
          <>
            <div class="columns explorer-newest">
              <Newest title={start.blocks} list="blocks">
                {blocks.map((block) => (
                  <BlockItem key={block.hash} block={block} />
                ))}
              </Newest>
              <Newest title={start.anchors} list="anchors" empty={start.noAnchors}>
                {anchors.map((anchor) => (
                  <AnchorItem key={anchor.hash} anchor={anchor} />
                ))}
              </Newest>
            </div>
            <p>
              <a href={addressOf("transactions")}>{texts.value.explorer.lists.transactions}</a>
            </p>
            <Chain chain={chain} />
          </>
        )}
      </QueryResult>
    </>
  );
}

async function newest() {
  const limit = SHOWN;
  const [chain, { blocks }, { anchors }] = await Promise.all([
    explorerClient().chain(),
    explorerClient().blocks({ limit }),
    explorerClient().anchors({ limit }),
  ]);
  return { chain, blocks, anchors };
}

function Newest({
  title,
  list,
  empty,
  children,
}: {
  title: string;
  list: string;
  empty?: string;
  children: preact.ComponentChild[];
}) {
  return (
    <section class="card stack">
      <div class="row spread">
        <h2>{title}</h2>
        <a href={addressOf(list)}>{texts.value.explorer.lists.all}</a>
      </div>
      {children.length === 0 ? <p class="muted">{empty}</p> : <ul class="list">{children}</ul>}
    </section>
  );
}

function BlockItem({ block }: { block: BlockSummary }) {
  return (
    <li>
      <a class="list-name number" href={addressOf("block", String(block.number))}>
        {wholeNumber(block.number)}
      </a>
      <span class="list-about">
        {texts.value.explorer.transactionCount(block.transaction_count)}
        <span class="muted">
          {" "}
          · <ValidatorName of={block.proposer} />
        </span>
      </span>
      <span class="muted small">
        <Ago at={block.timestamp} />
      </span>
    </li>
  );
}

function AnchorItem({ anchor }: { anchor: ExploredAnchor }) {
  return (
    <li>
      <span class="list-name">
        <Hash value={anchor.hash} href={addressOf("anchor", anchor.hash)} />
      </span>
      <span class="list-about">{texts.value.explorer.anchorSize(anchor.size)}</span>
      <span class="muted small">
        <Ago at={anchor.block.timestamp} />
      </span>
    </li>
  );
}

function Chain({ chain }: { chain: ExploredChain }) {
  const { start, contracts } = texts.value.explorer;
  const contract = (name: keyof typeof contracts) =>
    [
      contracts[name],
      <Hash whole copy value={chain.contracts[name]} href={addressOf("address", chain.contracts[name])} />,
    ] as const;
  return (
    <section class="card stack">
      <h2>{start.chain}</h2>
      <Facts
        of={[
          [start.chainId, <span class="number">{chain.chain_id}</span>],
          contract("ProofAnchor"),
          contract("EventTable"),
          contract("SessionRegistry"),
        ]}
      />
    </section>
  );
}
