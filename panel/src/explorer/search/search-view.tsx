import { useEffect } from "preact/hooks";
import type { RecordedDocument, SearchResult } from "../../../../client/index.ts";
import { ClientError } from "../../../../client/errors.ts";
import { Icon } from "../../components/icon.tsx";
import { texts } from "../../texts/texts.ts";
import { QueryResult } from "../../components/query-result.tsx";
import { useQuery } from "../../components/query.ts";
import { explorerClient } from "../explorer-client.ts";
import { Hash } from "../hash.tsx";
import { NotFound } from "../not-found.tsx";
import { access, proofClient } from "../../access/proof-access.ts";
import { queryOf } from "../../records/filter.ts";
import { records, session } from "../../session/session.ts";
import { addressOf as addressIn, replaceBy } from "../../route.ts";
import { addressOf, VERIFY } from "../route.ts";
import { useTitle } from "../../components/title.ts";

/** Documents that are shown. */
const MOST_DOCUMENTS = 10;
const HASH = /^(0x)?[0-9a-f]{64}$/i;

/** The results of a search; a single result is shown directly. */
export function SearchView({ text }: { text: string }) {
  const { search } = texts.value.explorer;
  useTitle(search.title);
  const sought = text.trim();
  const account = session.current.value?.account ?? "";
  const query = useQuery(() => find(sought), `${sought} ${account}`);
  return <QueryResult of={query}>{(found) => <Results text={sought} found={found} />}</QueryResult>;
}

/** What the chain has, and what only the server has, for readers with an account. */
interface Found {
  readonly results: readonly SearchResult[];
  /** Whether the chain can have such a thing. */
  readonly isOfChain: boolean;
  readonly documents: readonly RecordedDocument[];
  readonly hasRecords: boolean;
}

async function find(text: string): Promise<Found> {
  const results = await onChain(text);
  const none = { results: results ?? [], isOfChain: results !== undefined, documents: [], hasRecords: false };
  if (none.results.length > 0) return none;
  const isHash = HASH.test(text);
  const hasAccount = session.current.peek() !== undefined;
  if (!hasAccount && access.peek() === "") return none;
  // Without the right to read these there are none.
  const [documents, found] = await Promise.all([
    proofClient()
      .inventoryPage({ ...(isHash ? { hash: text } : { q: text }), limit: MOST_DOCUMENTS })
      .then(
        (page) => page.documents,
        () => [],
      ),
    hasAccount
      ? session.call((token) => records.page(token, { field: "code", value: text, limit: 1 })).catch(() => undefined)
      : undefined,
  ]);
  return { ...none, documents, hasRecords: (found?.events.length ?? 0) > 0 };
}

async function onChain(text: string): Promise<readonly SearchResult[] | undefined> {
  try {
    return await explorerClient().search(text);
  } catch (error) {
    if (error instanceof ClientError && error.code === "malformed") return undefined;
    throw error;
  }
}

function Results({ text, found: { results, isOfChain, documents, hasRecords } }: { text: string; found: Found }) {
  const { search } = texts.value.explorer;
  const [only, ...others] = results;
  const address = only === undefined || others.length > 0 ? undefined : resultAddress(only);
  useEffect(() => {
    if (address !== undefined) replaceBy(address);
  }, [address]);
  if (documents.length > 0 || hasRecords)
    return (
      <section class="stack">
        <h1>{search.title}</h1>
        <ul class="list card">
          {hasRecords ? (
            <li>
              <Icon name="records" />
              <span>{search.records}</span>
              <a href={`/records${queryOf({ code: text })}`}>{text}</a>
            </li>
          ) : null}
          {documents.map(({ id, document_id }) => (
            <li key={id}>
              <Icon name="proofs" />
              <span>{search.document}</span>
              <a href={addressIn("proof", id)}>{document_id}</a>
            </li>
          ))}
        </ul>
      </section>
    );
  if (!isOfChain) return <NotFound title={search.unreadable}>{search.unreadableHelp}</NotFound>;
  if (results.length === 0) {
    return (
      <NotFound title={search.nothing}>
        {HASH.test(text) ? search.nothingForHash : search.nothingHelp} <a href={VERIFY}>{search.openVerify}</a>
      </NotFound>
    );
  }
  return (
    <section class="stack">
      <h1>{others.length === 0 ? search.title : search.several}</h1>
      <ul class="list card">
        {results.map((result) => (
          <li key={result.kind}>
            <Icon name={result.kind === "anchor" ? "proofs" : result.kind === "session" ? "clock" : "explorer"} />
            <span>{search.kinds[result.kind]}</span>
            <Hash value={result.kind === "address" ? result.address : result.hash} {...hrefOf(result)} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function hrefOf(result: SearchResult): { href?: string } {
  const href = resultAddress(result);
  return href === undefined ? {} : { href };
}

/** Returns the address of a result; a session has no page. */
function resultAddress(result: SearchResult): string | undefined {
  switch (result.kind) {
    case "block":
      return addressOf("block", String(result.number));
    case "transaction":
      return addressOf("tx", result.hash);
    case "anchor":
      return addressOf("anchor", result.hash);
    case "address":
      return addressOf("address", result.address);
    case "session":
      return undefined;
  }
}
