import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { FoundProof } from "../../../client/index.ts";
import { noteUnauthorized, proofClient } from "../access/proof-access.ts";
import { Button } from "../components/button.tsx";
import { Facts } from "../components/facts.tsx";
import { Notice } from "../components/notice.tsx";
import { saveFile } from "../components/save-file.ts";
import { ErrorNotice } from "../errors/error-notice.tsx";
import { Hash } from "../explorer/hash.tsx";
import { Moment } from "../format/moment.tsx";
import { addressOf } from "../route.ts";
import { texts } from "../texts/texts.ts";
import { baseName } from "./pairing.ts";
import type { Row } from "./verdict.ts";
import type { Verification } from "./verification.ts";

/**
 * What the server has about one file: its bundle, or another file with its name.
 * @param findsNames Whether names may be sent
 */
export function ServerDetails({
  row,
  verification,
  findsNames,
}: {
  row: Row;
  verification: Verification;
  findsNames: boolean;
}) {
  const { verdict } = row;
  if (verdict?.kind === "recorded" && verdict.proofId !== undefined)
    return <BundleOf id={verdict.proofId} name={row.name} verification={verification} />;
  return findsNames && verdict?.kind === "not_recorded" && row.size !== undefined ? <SameName row={row} /> : null;
}

/** Fetches the bundle of a recorded file, to verify it or to keep it. */
function BundleOf({ id, name, verification }: { id: string; name: string; verification: Verification }) {
  const { server, download } = texts.value.verify;
  const isBusy = useSignal(false);
  const failure = useSignal<unknown>(undefined);
  const withBundle = async (use: (text: string, file: string) => unknown): Promise<void> => {
    if (isBusy.value) return;
    isBusy.value = true;
    failure.value = undefined;
    try {
      const text = await proofClient().bundle(id);
      if (text === undefined) failure.value = new Error(download.missing);
      else await use(text, `${name}.bundle.json`);
    } catch (error) {
      noteUnauthorized(error);
      failure.value = error;
    }
    isBusy.value = false;
  };
  return (
    <>
      <div class="row">
        <Button
          free
          kind="main"
          icon="proofs"
          busy={isBusy.value}
          onClick={() => void withBundle((text, file) => verification.addText(text, file))}
        >
          {server.fetch}
        </Button>
        <Button
          free
          icon="download"
          busy={isBusy.value}
          onClick={() => void withBundle((text, file) => saveFile(text, baseName(file), "application/json"))}
        >
          {download.button}
        </Button>
        <a class="button button-plain" href={addressOf("proof", id)}>
          {texts.value.certificate.link}
        </a>
      </div>
      {failure.value === undefined ? null : <ErrorNotice error={failure.value} />}
    </>
  );
}

/** Says whether another file is recorded under the name of this one, or this one waits for its anchor. */
function SameName({ row: { name, hash } }: { row: Row }) {
  const { server: words, facts } = texts.value.verify;
  const found = useSignal<FoundProof | undefined>(undefined);
  useEffect(() => {
    let isMounted = true;
    void findNamed(name).then((proof) => isMounted && (found.value = proof));
    return () => void (isMounted = false);
  }, [name, hash]);
  const proof = found.value;
  if (proof === undefined) return null;
  const recorded = proof.status === "confirmed" ? proof.proof.hash : proof.hash;
  if (recorded === hash)
    return proof.status === "confirmed" ? null : <Notice title={words.waiting}>{words.waitingHelp}</Notice>;
  return (
    <>
      <Notice title={words.another}>{words.anotherHelp}</Notice>
      <Facts
        of={[
          [words.anotherHash, <Hash whole value={recorded} />],
          proof.status === "confirmed" ? [facts.time, <Moment at={proof.proof.timestamp} />] : undefined,
        ]}
      />
    </>
  );
}

/** Finds what is recorded under a name; nothing for callers without access to the journal. */
async function findNamed(path: string): Promise<FoundProof | undefined> {
  try {
    return (await proofClient().find(path)) ?? (await proofClient().find(baseName(path)));
  } catch {
    return undefined;
  }
}
