import type { AddressActivity, ExploredAddress } from "../../../../client/index.ts";
import { Badge } from "../../components/badge.tsx";
import { Facts } from "../../components/facts.tsx";
import { type Page, Pages } from "../../components/pages.tsx";
import { Table } from "../../components/table.tsx";
import { Ago } from "../../format/moment.tsx";
import { wholeNumber } from "../../format/numbers.ts";
import { shortened } from "../../format/shortened.ts";
import { texts } from "../../texts/texts.ts";
import { QueryResult } from "../../components/query-result.tsx";
import { useQuery } from "../../components/query.ts";
import { eventText } from "./event-text.ts";
import { explorerClient, ifReadable } from "../explorer-client.ts";
import { Hash } from "../hash.tsx";
import { NotFound } from "../not-found.tsx";
import { addressOf } from "../route.ts";
import { useTitle } from "../../components/title.ts";

const PAGE = 25;

/** Role and activity of an address. */
export function AddressView({ address }: { address: string }) {
  const words = texts.value.explorer.address;
  const query = useQuery(() => ifReadable(found(address)), address);
  return (
    <QueryResult of={query} missing={<NotFound title={words.unreadable}>{words.unreadableHelp}</NotFound>}>
      {({ explored, activity }) => <Address explored={explored} first={activity} />}
    </QueryResult>
  );
}

async function found(address: string) {
  const [explored, activity] = await Promise.all([
    explorerClient().address(address),
    explorerClient().activity(address, { limit: PAGE }),
  ]);
  return { explored, activity };
}

function Address({ explored, first }: { explored: ExploredAddress; first: AddressActivity }) {
  const words = texts.value.explorer.address;
  const title = titleOf(explored);
  useTitle(`${title} ${shortened(explored.address)}`);
  return (
    <>
      <div class="heading">
        <div>
          <h1>{title}</h1>
          <p>{aboutOf(explored)}</p>
        </div>
        <div class="row">
          {explored.scope === undefined ? null : <Badge kind="good">{words.scopes[explored.scope]}</Badge>}
          {explored.relays.length === 0 ? null : <Badge kind="good">{words.relayer}</Badge>}
          {explored.administers.length === 0 ? null : <Badge>{words.administrator}</Badge>}
          {explored.validator === undefined ? null : <Badge>{words.validator}</Badge>}
        </div>
      </div>
      <section class="card">
        <Facts
          of={[
            [words.address, <Hash whole copy value={explored.address} />],
            explored.has_code ? undefined : [words.sent, <span class="number">{wholeNumber(explored.sent)}</span>],
            explored.relays.length === 0
              ? undefined
              : [words.relays, explored.relays.map((name) => texts.value.explorer.contracts[name]).join(", ")],
            explored.administers.length === 0
              ? undefined
              : [
                  words.administers,
                  explored.administers.map((name) => texts.value.explorer.contracts[name]).join(", "),
                ],
            explored.balance === "0"
              ? undefined
              : [words.balance, <span class="number">{wholeNumber(BigInt(explored.balance))}</span>],
          ]}
        />
      </section>
      <Activity address={explored.address} first={first} />
    </>
  );
}

function titleOf({ contract, has_code, relays, administers, scope, validator }: ExploredAddress): string {
  const { address, contracts } = texts.value.explorer;
  if (contract !== undefined) return contracts[contract];
  if (has_code) return address.otherContract;
  if (relays.length > 0) return address.relayer;
  if (administers.length > 0) return address.administrator;
  if (scope !== undefined) return address.account;
  return validator ?? address.unknown;
}

function aboutOf({ contract, has_code, relays, administers, scope, validator }: ExploredAddress): string {
  const { about } = texts.value.explorer.address;
  if (contract !== undefined) return about[contract];
  if (has_code) return about.otherContract;
  if (relays.length > 0) return about.relayer;
  if (administers.length > 0) return about.administrator;
  if (scope !== undefined) return about.account;
  return validator === undefined ? about.unknown : about.validator;
}

function Activity({ address, first }: { address: string; first: AddressActivity }) {
  const { address: words } = texts.value.explorer;
  const fetch = async (cursor: string): Promise<Page<AddressActivity["activity"][number]>> => {
    const { activity: rows, next } = await explorerClient().activity(address, { limit: PAGE, cursor });
    return { rows, next };
  };
  return (
    <section class="stack">
      <div>
        <h2>{words.activity}</h2>
        <p class="muted small">{words.activityAbout}</p>
      </div>
      <Pages first={{ rows: first.activity, next: first.next }} fetch={fetch}>
        {(activity, hasMore) =>
          activity.length === 0 ? (
            <p class="muted">{hasMore ? words.noneYet : words.noActivity}</p>
          ) : (
            <Table
              caption={words.activity}
              rows={activity}
              keyOf={(entry) => `${entry.tx_hash} ${activity.indexOf(entry)}`}
              columns={[
                { title: words.event, cell: ({ event }) => eventText(event) },
                {
                  title: words.transaction,
                  cell: ({ tx_hash }) => <Hash value={tx_hash} href={addressOf("tx", tx_hash)} />,
                },
                {
                  title: words.block,
                  cell: ({ block }) => (
                    <>
                      <a class="number" href={addressOf("block", String(block.number))}>
                        {wholeNumber(block.number)}
                      </a>
                      <div class="small muted">
                        <Ago at={block.timestamp} />
                      </div>
                    </>
                  ),
                },
              ]}
            />
          )
        }
      </Pages>
    </section>
  );
}
