import type { ComponentChildren } from "preact";
import { access, isAccessNeeded, noteUnauthorized, proofClient } from "../access/proof-access.ts";
import { Notice } from "../components/notice.tsx";
import { Progress } from "../components/progress.tsx";
import { useQuery } from "../components/query.ts";
import { Ago } from "../format/moment.tsx";
import { addressOf } from "../route.ts";
import { records, session } from "../session/session.ts";
import { texts } from "../texts/texts.ts";

const SHOWN = 5;
/** Pages that are looked at for the newest documents. */
const MOST_PAGES = 5;
const EVERY_MILLISECONDS = 30_000;

/** A line of a list. */
interface Item {
  readonly name: string;
  readonly href: string | undefined;
  /** Unix seconds. */
  readonly at: number | undefined;
}

/** What is wrong, and what was recorded last. */
export function Newest() {
  const { home: words } = texts.value;
  // One that waits does not keep the others.
  const alerts = useNewest(raised, true);
  const found = useNewest(newestRecords, false);
  const documents = useNewest(newestDocuments, true);
  return (
    <>
      {(alerts === "failed" ? [] : (alerts ?? [])).map(({ alert, subject, message }) => (
        <Notice key={`${alert} ${subject}`} kind="warning" title={words.wrong}>
          <span lang="en">{message}</span>
        </Notice>
      ))}
      <div class="columns">
        <List title={words.newestRecords} href={addressOf("records")} items={found} />
        <List title={words.newestProofs} href={addressOf("proofs")} items={documents} />
      </div>
    </>
  );
}

/**
 * @param needsKey Whether servers can require a key for it
 * @returns `undefined` before there is a result; "failed" for what the reader may not see, or what fails
 */
function useNewest<T>(fetch: () => Promise<readonly T[]>, needsKey: boolean): readonly T[] | "failed" | undefined {
  const state = useQuery(() => settled(fetch, needsKey), access.value, EVERY_MILLISECONDS).state.value;
  if (state.state === "loading") return undefined;
  return state.state === "loaded" ? state.value : "failed";
}

function List({ title, href, items }: { title: string; href: string; items: readonly Item[] | "failed" | undefined }) {
  const { home: words } = texts.value;
  return (
    <section class="card stack">
      <div class="row spread">
        <h2>{title}</h2>
        <a href={href}>{texts.value.explorer.lists.all}</a>
      </div>
      {items === undefined ? (
        <Progress>{texts.value.common.loading}</Progress>
      ) : items === "failed" ? (
        <p class="muted">{words.notShown}</p>
      ) : items.length === 0 ? (
        <p class="muted">{words.nothing}</p>
      ) : (
        <ul class="newest stack">
          {items.map(({ name, href: target, at }, index) => (
            <li class="row spread" key={target ?? index}>
              <Name href={target}>{name}</Name>
              {at === undefined ? null : (
                <span class="muted small">
                  <Ago at={at} />
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Name({ href, children }: { href: string | undefined; children: ComponentChildren }) {
  return href === undefined ? <span>{children}</span> : <a href={href}>{children}</a>;
}

async function newestRecords(): Promise<Item[]> {
  const search = { field: "code", value: "*", limit: SHOWN, locations: true } as const;
  const { events } = await session.call((token) => records.page(token, search));
  return events.map(({ code, createdAt, location }) => {
    const at = Date.parse(createdAt) / 1000;
    return {
      name: code,
      href: location && addressOf("explorer", "tx", location.transactionHash),
      at: Number.isNaN(at) ? undefined : at,
    };
  });
}

async function newestDocuments(): Promise<Item[]> {
  let page = await proofClient().inventoryPage({ limit: SHOWN });
  // The newest entries of the journal can be of records only.
  for (let pages = 1; page.documents.length === 0 && page.next !== undefined && pages < MOST_PAGES; pages += 1)
    page = await proofClient().inventoryPage({ limit: SHOWN }, page.next);
  if (page.documents.length === 0 && page.next !== undefined) throw new Error("they are not among the newest entries");
  return page.documents.map(({ id, document_id, recorded_at }) => ({
    name: document_id,
    href: addressOf("proof", id),
    at: recorded_at ?? undefined,
  }));
}

async function raised() {
  return (await proofClient().alerts()).filter(({ state }) => state === "raised");
}

async function settled<T>(fetch: () => Promise<readonly T[]>, needsKey: boolean): Promise<readonly T[] | undefined> {
  // A server that has refused a reader without a key does so again.
  if (needsKey && isAccessNeeded.peek() && access.peek() === "") return undefined;
  try {
    return await fetch();
  } catch (error) {
    noteUnauthorized(error);
    return undefined;
  }
}
