import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Button } from "../components/button.tsx";
import { Field } from "../components/field.tsx";
import { More } from "../components/more.tsx";
import { Notice } from "../components/notice.tsx";
import { texts } from "../texts/texts.ts";
import { anchoredHash, type ParsedProof, parseProof } from "./parsed-proof.ts";
import { BundleCheck } from "./bundle-check.tsx";
import type { Document } from "./document.ts";
import { FetchProof } from "./fetch-proof.tsx";
import { FileDrop } from "./file-drop.tsx";
import { hashFile } from "./hash-file.ts";
import { HashProgress } from "./hash-progress.tsx";
import { pastedProof } from "./pasted-proof.ts";
import { PathView } from "./path-view.tsx";

/**
 * Accepts a proof of the user, with its document or before it, and shows its path to the chain. The chain does not
 * store the documents under a root: without a proof there is no path to draw.
 * @param root The expected root of the path, if it is known
 */
export function ProofInput({ root }: { root?: string }) {
  const { input: words } = texts.value.proofs;
  const input = useSignal<ParsedProof | "unreadable" | undefined>(undefined);
  const text = useSignal("");
  const document = useSignal<Document | undefined>(undefined);
  const progress = useSignal<{ readonly file: File; readonly done: number } | undefined>(undefined);
  const failure = useSignal<string | undefined>(undefined);
  const take = (content: string): void => void (input.value = parseProof(content) ?? "unreadable");
  useEffect(() => {
    if (pastedProof.value === undefined) return;
    take(pastedProof.value);
    pastedProof.value = undefined;
  }, []);
  const takeFiles = async (files: File[]): Promise<void> => {
    failure.value = undefined;
    const proofs = new Map(
      await Promise.all(
        files.map(async (file) => [file, file.size < LARGEST ? parseProof(await file.text()) : undefined] as const),
      ),
    );
    const found = [...proofs.values()].find((each) => each !== undefined);
    const file = files.find((each) => proofs.get(each) === undefined);
    if (found !== undefined) input.value = found;
    else if (input.value === undefined || input.value === "unreadable") return void (input.value = "unreadable");
    document.value = undefined;
    if (file === undefined) return;
    try {
      const hash = await hashFile(file, (done) => (progress.value = { file, done }));
      document.value = { name: file.name, size: file.size, hash };
    } catch (error) {
      failure.value = error instanceof Error ? error.message : String(error);
    }
    progress.value = undefined;
  };
  const proof = input.value;
  if (proof !== undefined && proof !== "unreadable") {
    const isOfAnother = root !== undefined && anchoredHash(proof) !== root;
    const given = document.value;
    return (
      <div class="stack stack-wide">
        {isOfAnother ? (
          <Notice kind="warning" title={words.another}>
            {words.anotherHelp}
          </Notice>
        ) : null}
        {proof.bundle !== undefined && given !== undefined ? (
          <BundleCheck key={`${proof.recordHash} ${given.hash}`} document={given} bundle={proof.bundle} />
        ) : (
          <PathView key={proof.recordHash} proof={proof} document={given} />
        )}
        <FileDrop
          small
          title={texts.value.proofs.compare.title}
          hint={texts.value.proofs.compare.hint}
          onFiles={(files) => void takeFiles(files)}
        />
        {progress.value === undefined ? null : <HashProgress {...progress.value} />}
        {failure.value === undefined ? null : (
          <Notice kind="bad" title={texts.value.proofs.unreadable}>
            {failure.value}
          </Notice>
        )}
        <div>
          <Button free icon="proofs" onClick={() => (input.value = document.value = undefined)}>
            {words.again}
          </Button>
        </div>
      </div>
    );
  }
  return (
    <div class="stack">
      <FileDrop
        small={root !== undefined}
        title={words.title}
        hint={words.hint}
        accept=".json,application/json"
        onFiles={(files) => void takeFiles(files)}
      />
      {proof === "unreadable" ? (
        <Notice kind="bad" title={words.unreadable}>
          {words.unreadableHelp}
        </Notice>
      ) : null}
      <div class="card stack">
        <More title={words.paste}>
          <Field label={words.pasteLabel}>
            {(control) => (
              <textarea
                {...control}
                value={text.value}
                spellcheck={false}
                onInput={(event) => (text.value = event.currentTarget.value)}
              />
            )}
          </Field>
          <div>
            <Button free onClick={() => take(text.value)}>
              {words.show}
            </Button>
          </div>
        </More>
        <More title={words.fetch}>
          <FetchProof onProof={take} />
        </More>
      </div>
    </div>
  );
}

/** A proof has a few kilobytes; larger files are documents. */
const LARGEST = 4 * 1024 * 1024;
