import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Button } from "../components/button.tsx";
import { Field } from "../components/field.tsx";
import { More } from "../components/more.tsx";
import { Notice } from "../components/notice.tsx";
import { texts } from "../texts/texts.ts";
import { anchoredHash, type ParsedProof, parseProof } from "./parsed-proof.ts";
import { FetchProof } from "./fetch-proof.tsx";
import { FileDrop } from "./file-drop.tsx";
import { pastedProof } from "./pasted-proof.ts";
import { PathView } from "./path-view.tsx";

/**
 * Accepts a proof of the user and shows its path to the chain. The chain does not store the documents under a root:
 * without a proof there is no path to draw.
 * @param root The expected root of the path, if it is known
 */
export function ProofInput({ root }: { root?: string }) {
  const { input: words } = texts.value.proofs;
  const input = useSignal<ParsedProof | "unreadable" | undefined>(undefined);
  const text = useSignal("");
  const take = (content: string): void => void (input.value = parseProof(content) ?? "unreadable");
  useEffect(() => {
    if (pastedProof.value === undefined) return;
    take(pastedProof.value);
    pastedProof.value = undefined;
  }, []);
  const takeFiles = async (files: File[]): Promise<void> => {
    const contents = await Promise.all(files.filter(({ size }) => size < LARGEST).map((file) => file.text()));
    take(contents.find((content) => parseProof(content) !== undefined) ?? "");
  };
  const proof = input.value;
  if (proof !== undefined && proof !== "unreadable") {
    const isOfAnother = root !== undefined && anchoredHash(proof) !== root;
    return (
      <div class="stack stack-wide">
        {isOfAnother ? (
          <Notice kind="warning" title={words.another}>
            {words.anotherHelp}
          </Notice>
        ) : null}
        <PathView key={proof.recordHash} proof={proof} />
        <div>
          <Button free icon="proofs" onClick={() => (input.value = undefined)}>
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
