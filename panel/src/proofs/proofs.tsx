import { useSignal } from "@preact/signals";
import { Button } from "../components/button.tsx";
import { Facts } from "../components/facts.tsx";
import { Notice } from "../components/notice.tsx";
import { Hash } from "../explorer/hash.tsx";
import { byteSize } from "../format/numbers.ts";
import { parseProof } from "../proof/parsed-proof.ts";
import { FileDrop } from "../proof/file-drop.tsx";
import { hashFile } from "../proof/hash-file.ts";
import { HashProgress } from "../proof/hash-progress.tsx";
import { texts } from "../texts/texts.ts";
import { BundleCheck } from "../proof/bundle-check.tsx";
import { ServerCheck } from "./server-check.tsx";
import { bundle, document, recordAs } from "./proofs-state.ts";

/** A proof has a few kilobytes; larger files are documents. */
const LARGEST_PROOF = 4 * 1024 * 1024;

/** Proves and checks files. A file is hashed in the browser and is not sent. */
export default function Proofs() {
  const words = texts.value.proofs;
  const progress = useSignal<{ readonly file: File; readonly done: number } | undefined>(undefined);
  const failure = useSignal<string | undefined>(undefined);

  const take = async (files: File[]): Promise<void> => {
    failure.value = undefined;
    const bundles = new Map(
      (await Promise.all(files.map(async (file) => [file, await bundleIn(file)] as const))).filter(
        ([, text]) => text !== undefined,
      ),
    );
    const [input] = bundles.values();
    if (input !== undefined) bundle.value = input;
    const file = files.find((candidate) => !bundles.has(candidate));
    if (file === undefined) return;
    // A document alone starts a new check, unless a proof waits for it.
    if (document.value !== undefined && input === undefined) bundle.value = undefined;
    document.value = undefined;
    recordAs.value = undefined;
    progress.value = { file, done: 0 };
    try {
      const hash = await hashFile(file, (done) => (progress.value = { file, done }));
      document.value = { name: file.name, size: file.size, hash };
    } catch (error) {
      failure.value = error instanceof Error ? error.message : String(error);
    }
    progress.value = undefined;
  };
  const reset = (): void => {
    document.value = undefined;
    recordAs.value = undefined;
    bundle.value = undefined;
  };

  const known = document.value;
  return (
    <div class="stack stack-wide">
      <div class="heading">
        <div>
          <h1>{words.title}</h1>
          <p>{words.about}</p>
        </div>
        {known === undefined && bundle.value === undefined ? null : (
          <Button free icon="proofs" onClick={reset}>
            {words.another}
          </Button>
        )}
      </div>
      {known !== undefined ? null : (
        <FileDrop
          title={bundle.value === undefined ? words.drop : words.dropDocument}
          hint={bundle.value === undefined ? words.dropHint : words.dropDocumentHint}
          onFiles={(files) => void take(files)}
        />
      )}
      {progress.value === undefined ? null : (
        <div class="card">
          <HashProgress {...progress.value} />
        </div>
      )}
      {failure.value === undefined ? null : (
        <Notice kind="bad" title={words.unreadable}>
          {failure.value}
        </Notice>
      )}
      {known === undefined ? null : (
        <section class="card stack">
          <h2>{known.name}</h2>
          <Facts
            of={[
              [words.size, byteSize(known.size)],
              ["SHA-256", <Hash whole copy value={known.hash} />],
            ]}
          />
        </section>
      )}
      {known === undefined ? null : bundle.value === undefined ? (
        <ServerCheck key={known.hash} document={known} onFiles={(files) => void take(files)} />
      ) : (
        <BundleCheck key={known.hash} document={known} bundle={bundle.value} />
      )}
    </div>
  );
}

/** Returns the text of a portable proof, if a file is one. */
async function bundleIn(file: File): Promise<string | undefined> {
  if (file.size > LARGEST_PROOF) return undefined;
  return parseProof(await file.text().catch(() => ""))?.bundle;
}
