import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Button } from "../components/button.tsx";
import { Field } from "../components/field.tsx";
import { More } from "../components/more.tsx";
import { Notice } from "../components/notice.tsx";
import { texts } from "../texts/texts.ts";
import { anchoredHash, type BroughtProof, readProof } from "./brought-proof.ts";
import { FetchProof } from "./fetch-proof.tsx";
import { FileDrop } from "./file-drop.tsx";
import { pasted } from "./pasted.ts";
import { PathView } from "./path-view.tsx";

/**
 * Accepts a proof of the user and shows its path to the chain. The chain does not store the documents under a root:
 * without a proof there is no path to draw.
 * @param root The expected root of the path, if it is known
 */
export function BringProof({ root }: { root?: string }) {
  const { bring } = texts.value.proofs;
  const brought = useSignal<BroughtProof | "unreadable" | undefined>(undefined);
  const text = useSignal("");
  const take = (content: string): void => void (brought.value = readProof(content) ?? "unreadable");
  useEffect(() => {
    if (pasted.value === undefined) return;
    take(pasted.value);
    pasted.value = undefined;
  }, []);
  const takeFiles = async (files: File[]): Promise<void> => {
    const contents = await Promise.all(files.filter(({ size }) => size < LARGEST).map((file) => file.text()));
    take(contents.find((content) => readProof(content) !== undefined) ?? "");
  };
  const proof = brought.value;
  if (proof !== undefined && proof !== "unreadable") {
    const isOfAnother = root !== undefined && anchoredHash(proof) !== root;
    return (
      <div class="stack stack-wide">
        {isOfAnother ? (
          <Notice kind="warning" title={bring.another}>
            {bring.anotherHelp}
          </Notice>
        ) : null}
        <PathView key={proof.recordHash} proof={proof} />
        <div>
          <Button free icon="proofs" onClick={() => (brought.value = undefined)}>
            {bring.again}
          </Button>
        </div>
      </div>
    );
  }
  return (
    <div class="stack">
      <FileDrop
        small={root !== undefined}
        title={bring.title}
        hint={bring.hint}
        accept=".json,application/json"
        onFiles={(files) => void takeFiles(files)}
      />
      {proof === "unreadable" ? (
        <Notice kind="bad" title={bring.unreadable}>
          {bring.unreadableHelp}
        </Notice>
      ) : null}
      <div class="card stack">
        <More title={bring.paste}>
          <Field label={bring.pasteLabel}>
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
              {bring.show}
            </Button>
          </div>
        </More>
        <More title={bring.fetch}>
          <FetchProof onProof={take} />
        </More>
      </div>
    </div>
  );
}

/** A proof has a few kilobytes; larger files are documents. */
const LARGEST = 4 * 1024 * 1024;
