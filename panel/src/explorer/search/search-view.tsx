import { useEffect } from "preact/hooks";
import type { RecordedDocument, SearchResult } from "../../../../client/index.ts";
import { ClientError } from "../../../../client/errors.ts";
import { Icon } from "../../components/icon.tsx";
import { texts } from "../../texts/texts.ts";
import { QueryResult } from "../../components/query-result.tsx";
import { useQuery } from "../../components/query.ts";
import { explorerClient, ifReadable } from "../explorer-client.ts";
import { Hash } from "../hash.tsx";
import { NotFound } from "../not-found.tsx";
import { access, proofClient } from "../../access/proof-access.ts";
import { isHash, proofOf } from "../../access/proof-of.ts";
import { queryOf } from "../../records/filter.ts";
import { records, session } from "../../session/session.ts";
import { addressOf as addressIn, replaceBy } from "../../route.ts";
import { addressOf, VERIFY } from "../route.ts";
import { useTitle } from "../../components/title.ts";

/** Documents that are shown. */
const MOST_DOCUMENTS = 10;
/** Parts of the journal that are searched for a document, from its end. */
const MOST_PARTS = 10;
const NUMBER = /^\d+$/;

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
  /** Whether older documents were not searched. */
  readonly hasOlder: boolean;
  readonly hasRecords: boolean;
  /** A proof that has this id, or is of this content. */
  readonly proofId: string | undefined;
}

async function find(text: string): Promise<Found> {
  const results = text === "" ? undefined : await ifReadable(explorerClient().search(text));
  const ofChain = { results: results ?? [], isOfChain: results !== undefined };
  const nothing = { documents: [], hasOlder: false, hasRecords: false, proofId: undefined };
  const hasAccount = session.current.peek() !== undefined;
  if (text === "" || (!hasAccount && access.peek() === "")) return { ...ofChain, ...nothing };
  const isFound = ofChain.results.length > 0;
  // Only a number can be the name of something else.
  if (isFound && !NUMBER.test(text)) return { ...ofChain, ...nothing };
  const [documents, hasRecords] = await Promise.all([
    ifPossible(documentsOf(text), nothing, isFound),
    ifPossible(hasAccount ? hasRecordsOf(text) : Promise.resolve(false), false, isFound),
  ]);
  return { ...ofChain, ...nothing, ...documents, hasRecords };
}

async function hasRecordsOf(code: string): Promise<boolean> {
  const search = { field: "code", value: code, limit: 1 } as const;
  return (await session.call((token) => records.page(token, search))).events.length > 0;
}

async function documentsOf(text: string): Promise<Partial<Found>> {
  const limit = MOST_DOCUMENTS;
  if (NUMBER.test(text)) {
    // Many names have some digits.
    const { documents } = await proofClient().inventoryPage({ q: text, limit });
    return { documents: documents.filter(({ document_id }) => document_id === text) };
  }
  if (isHash(text)) {
    const { documents } = await proofClient().inventoryPage({ hash: text, limit });
    if (documents.length > 0) return { documents };
    const proofId = await proofOf(text);
    if (proofId !== undefined) return { proofId };
  }
  let page = await proofClient().inventoryPage({ q: text, limit });
  for (let parts = 1; page.documents.length === 0 && page.next !== undefined && parts < MOST_PARTS; parts += 1)
    page = await proofClient().inventoryPage({ q: text, limit }, page.next);
  const { documents, next } = page;
  return { documents, hasOlder: documents.length === 0 && next !== undefined && !isHash(text) };
}

/** Finds nothing where a reader may not read. An error does not hide what the chain has. */
async function ifPossible<T>(found: Promise<T>, otherwise: T, isFound: boolean): Promise<T> {
  try {
    return await found;
  } catch (error) {
    const isHarmless = error instanceof ClientError && ["malformed", "unauthorized", "forbidden"].includes(error.code);
    if (isFound || isHarmless) return otherwise;
    throw error;
  }
}

function Results({ text, found }: { text: string; found: Found }) {
  const { search } = texts.value.explorer;
  const { results, isOfChain, documents, hasOlder, hasRecords, proofId } = found;
  const count = results.length + documents.length + (hasRecords ? 1 : 0) + (proofId === undefined ? 0 : 1);
  const [first] = results;
  const address = first === undefined || count > 1 ? undefined : resultAddress(first);
  useEffect(() => {
    if (address !== undefined) replaceBy(address);
  }, [address]);
  if (count === 0 && hasOlder)
    return (
      <NotFound title={search.unreadable}>
        {search.notAll} <a href={addressIn("proofs")}>{search.openProofs}</a>
      </NotFound>
    );
  if (count === 0 && !isOfChain) return <NotFound title={search.unreadable}>{search.unreadableHelp}</NotFound>;
  if (count === 0) {
    return (
      <NotFound title={search.nothing}>
        {isHash(text) ? search.nothingForHash : search.nothingHelp} <a href={VERIFY}>{search.openVerify}</a>
      </NotFound>
    );
  }
  return (
    <section class="stack">
      <h1>{count === 1 ? search.title : search.several}</h1>
      <ul class="list card">
        {results.map((result) => (
          <li key={result.kind}>
            <Icon name={result.kind === "anchor" ? "proofs" : result.kind === "session" ? "clock" : "explorer"} />
            <span>{search.kinds[result.kind]}</span>
            <Hash value={result.kind === "address" ? result.address : result.hash} {...hrefOf(result)} />
          </li>
        ))}
        {hasRecords ? (
          <li>
            <Icon name="records" />
            <span>{search.records}</span>
            <a href={addressIn("records") + queryOf({ code: text })}>{text}</a>
          </li>
        ) : null}
        {proofId === undefined ? null : (
          <li>
            <Icon name="proofs" />
            <a href={addressIn("proof", proofId)}>{texts.value.proofs.thisProof}</a>
          </li>
        )}
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
