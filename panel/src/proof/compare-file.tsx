import { type Signal, useSignal } from "@preact/signals";
import { Notice } from "../components/notice.tsx";
import { texts } from "../texts/texts.ts";
import { FileDrop } from "./file-drop.tsx";
import { HashProgress } from "./hash-progress.tsx";
import { hashFile } from "./hash-file.ts";

/** Compares a file with a document's hash. */
export function CompareFile({ hash, state }: { hash: string; state: Signal<"same" | "changed" | undefined> }) {
  const { compare } = texts.value.proofs;
  const progress = useSignal<{ readonly file: File; readonly done: number } | undefined>(undefined);
  const failure = useSignal<string | undefined>(undefined);
  const name = useSignal("");
  const check = async ([file]: File[]): Promise<void> => {
    if (file === undefined) return;
    state.value = undefined;
    failure.value = undefined;
    name.value = file.name;
    try {
      const found = await hashFile(file, (done) => (progress.value = { file, done }));
      state.value = found === hash ? "same" : "changed";
    } catch (error) {
      failure.value = error instanceof Error ? error.message : String(error);
    }
    progress.value = undefined;
  };
  return (
    <div class="stack">
      <FileDrop small title={compare.title} hint={compare.hint} onFiles={(files) => void check(files)} />
      {progress.value === undefined ? null : <HashProgress {...progress.value} />}
      {failure.value === undefined ? null : (
        <Notice kind="bad" title={texts.value.proofs.unreadable}>
          {failure.value}
        </Notice>
      )}
      {state.value === "same" ? (
        <Notice kind="good" title={compare.same}>
          {name.value}
        </Notice>
      ) : null}
      {state.value === "changed" ? (
        <Notice kind="bad" title={compare.changed}>
          {compare.changedHelp(name.value)}
        </Notice>
      ) : null}
    </div>
  );
}
