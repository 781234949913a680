import { useEffect } from "preact/hooks";
import type { SearchResult } from "../../../../client/index.ts";
import { ClientError } from "../../../../client/errors.ts";
import { Icon } from "../../components/icon.tsx";
import { texts } from "../../texts/texts.ts";
import { Answer } from "../answer.tsx";
import { useAsked } from "../asked.ts";
import { explorerClient } from "../explorer-client.ts";
import { Hash } from "../hash.tsx";
import { NotFound } from "../not-found.tsx";
import { addressOf, replaceBy } from "../route.ts";
import { useTitle } from "../title.ts";

/** The results of a search; a single result is shown directly. */
export function SearchView({ text }: { text: string }) {
  const { search } = texts.value.explorer;
  useTitle(search.title);
  const question = useAsked(() => findings(text), text);
  return (
    <Answer of={question}>
      {(found) =>
        found === "unreadable" ? (
          <NotFound title={search.unreadable}>{search.unreadableHelp}</NotFound>
        ) : (
          <Found text={text} findings={found} />
        )
      }
    </Answer>
  );
}

async function findings(text: string): Promise<readonly SearchResult[] | "unreadable"> {
  try {
    return await explorerClient.search(text.trim());
  } catch (error) {
    if (error instanceof ClientError && error.code === "malformed") return "unreadable";
    throw error;
  }
}

function Found({ text, findings }: { text: string; findings: readonly SearchResult[] }) {
  const { search } = texts.value.explorer;
  const [only, ...others] = findings;
  const place = only === undefined || others.length > 0 ? undefined : placeOf(only);
  useEffect(() => {
    if (place !== undefined) replaceBy(place);
  }, [place]);
  if (findings.length === 0) {
    return (
      <NotFound title={search.nothing}>
        {/^(0x)?[0-9a-f]{64}$/i.test(text.trim()) ? search.nothingForHash : search.nothingHelp}{" "}
        <a href={addressOf("proof")}>{search.bringProof}</a>
      </NotFound>
    );
  }
  return (
    <section class="stack">
      <h1>{others.length === 0 ? search.title : search.several}</h1>
      <ul class="list card">
        {findings.map((finding) => (
          <li key={finding.kind}>
            <Icon name={finding.kind === "anchor" ? "proofs" : finding.kind === "session" ? "clock" : "explorer"} />
            <span>{search.kinds[finding.kind]}</span>
            <Hash value={finding.kind === "address" ? finding.address : finding.hash} {...hrefOf(finding)} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function hrefOf(finding: SearchResult): { href?: string } {
  const href = placeOf(finding);
  return href === undefined ? {} : { href };
}

/** Returns the address of a result. The chain stores only the hash of a session's token. */
function placeOf(finding: SearchResult): string | undefined {
  switch (finding.kind) {
    case "block":
      return addressOf("block", String(finding.number));
    case "transaction":
      return addressOf("tx", finding.hash);
    case "anchor":
      return addressOf("anchor", finding.hash);
    case "address":
      return addressOf("address", finding.address);
    case "session":
      return undefined;
  }
}
