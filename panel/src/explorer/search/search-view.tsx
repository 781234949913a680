import { useEffect } from "preact/hooks";
import type { SearchResult } from "../../../../client/index.ts";
import { ClientError } from "../../../../client/errors.ts";
import { Icon } from "../../components/icon.tsx";
import { texts } from "../../texts/texts.ts";
import { QueryResult } from "../../components/query-result.tsx";
import { useQuery } from "../../components/query.ts";
import { explorerClient } from "../explorer-client.ts";
import { Hash } from "../hash.tsx";
import { NotFound } from "../not-found.tsx";
import { replaceBy } from "../../route.ts";
import { addressOf, VERIFY } from "../route.ts";
import { useTitle } from "../../components/title.ts";

/** The results of a search; a single result is shown directly. */
export function SearchView({ text }: { text: string }) {
  const { search } = texts.value.explorer;
  useTitle(search.title);
  const query = useQuery(() => fetchResults(text), text);
  return (
    <QueryResult of={query}>
      {(results) =>
        results === "unreadable" ? (
          <NotFound title={search.unreadable}>{search.unreadableHelp}</NotFound>
        ) : (
          <Results text={text} results={results} />
        )
      }
    </QueryResult>
  );
}

async function fetchResults(text: string): Promise<readonly SearchResult[] | "unreadable"> {
  try {
    return await explorerClient().search(text.trim());
  } catch (error) {
    if (error instanceof ClientError && error.code === "malformed") return "unreadable";
    throw error;
  }
}

function Results({ text, results }: { text: string; results: readonly SearchResult[] }) {
  const { search } = texts.value.explorer;
  const [only, ...others] = results;
  const address = only === undefined || others.length > 0 ? undefined : resultAddress(only);
  useEffect(() => {
    if (address !== undefined) replaceBy(address);
  }, [address]);
  if (results.length === 0) {
    return (
      <NotFound title={search.nothing}>
        {/^(0x)?[0-9a-f]{64}$/i.test(text.trim()) ? search.nothingForHash : search.nothingHelp}{" "}
        <a href={VERIFY}>{search.openVerify}</a>
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
