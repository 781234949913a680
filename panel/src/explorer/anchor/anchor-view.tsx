import type { ExploredAnchor } from "../../../../client/index.ts";
import { Badge } from "../../components/badge.tsx";
import { Facts } from "../../components/facts.tsx";
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

/** An anchored hash: a recorded hash or the root of a batch. */
export function AnchorView({ hash }: { hash: string }) {
  const { anchor } = texts.value.explorer;
  const query = useQuery(() => ifReadable(explorerClient().anchor(hash)), hash);
  return (
    <QueryResult of={query} missing={<NotFound title={anchor.missing}>{anchor.missingHelp}</NotFound>}>
      {(found) => <Anchor anchor={found} />}
    </QueryResult>
  );
}

function Anchor({ anchor }: { anchor: ExploredAnchor }) {
  const { anchor: words, anchorSize } = texts.value.explorer;
  const title = anchor.size === 0 ? words.single : words.batch;
  useTitle(title);
  return (
    <>
      <div class="heading">
        <div>
          <h1>{title}</h1>
          <p>{anchor.size === 0 ? words.singleAbout : words.batchAbout}</p>
        </div>
        <Badge kind="good">{words.onChain}</Badge>
      </div>
      <section class="card stack">
        <Facts
          of={[
            [anchor.size === 0 ? words.hash : words.root, <Hash whole copy value={anchor.hash} />],
            [words.size, anchorSize(anchor.size)],
            [
              words.first,
              <>
                <Moment at={anchor.block.timestamp} />{" "}
                <span class="muted">
                  (<Ago at={anchor.block.timestamp} />)
                </span>
              </>,
            ],
            [
              words.block,
              <a class="number" href={addressOf("block", String(anchor.block.number))}>
                {wholeNumber(anchor.block.number)}
              </a>,
            ],
            [words.transaction, <Hash whole copy value={anchor.tx_hash} href={addressOf("tx", anchor.tx_hash)} />],
          ]}
        />
      </section>
      <p>
        <a href={VERIFY}>{words.verify}</a>
      </p>
    </>
  );
}
