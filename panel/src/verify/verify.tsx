import { type ComponentChildren, Fragment } from "preact";
import { useEffect } from "preact/hooks";
import { Button } from "../components/button.tsx";
import { Notice } from "../components/notice.tsx";
import { Progress } from "../components/progress.tsx";
import { RetryForm } from "../components/retry-form.tsx";
import { droppedFiles } from "../files/dropped-files.ts";
import { FileDrop } from "../files/file-drop.tsx";
import { FileProgress } from "../files/file-progress.tsx";
import { wholeNumber } from "../format/numbers.ts";
import { texts } from "../texts/texts.ts";
import { PasteForm } from "./paste-form.tsx";
import { type More, Results } from "./results.tsx";
import { TrustForm } from "./trust-form.tsx";
import "./verify.css";
import type { Verification } from "./verification.ts";

/**
 * Verifies files: with bundles and statements by the verifier, else by what a server says.
 * @param title The page's heading
 * @param access What the server needs after it has refused
 * @param more What can be done with one file
 * @param children What can be done with all results
 */
export function Verify({
  title,
  about,
  verification,
  more = () => null,
  access,
  children,
}: {
  title: string;
  about: string;
  verification: Verification;
  more?: More;
  access?: ComponentChildren;
  children?: ComponentChildren;
}) {
  const { verify: words } = texts.value;
  const rows = verification.rows.value;
  const failure = verification.failure.value;
  // A file that is dropped beside the field must not take the place of the page.
  useEffect(() => {
    // Text is dragged into a field.
    const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes("Files") === true;
    const allow = (event: DragEvent) => void (hasFiles(event) && event.preventDefault());
    const drop = (event: DragEvent) => {
      if (event.defaultPrevented || event.dataTransfer === null || !hasFiles(event)) return;
      event.preventDefault();
      void verification.add(droppedFiles(event.dataTransfer));
    };
    addEventListener("dragover", allow);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("dragover", allow);
      removeEventListener("drop", drop);
    };
  }, [verification]);
  const results = rows.length === 0 ? null : <Results key="results" verification={verification} more={more} />;
  const below = <Fragment key="below">{children}</Fragment>;
  return (
    <div class="stack stack-wide">
      <div class="heading">
        <div>
          <h1>{title}</h1>
          <p>{about}</p>
        </div>
        {rows.length === 0 && !verification.isBusy.value ? null : (
          <Button free onClick={() => verification.clear()}>
            {words.clear}
          </Button>
        )}
      </div>
      <div class="stack no-print">
        <FileDrop isSmall={rows.length > 0} onFiles={(picked) => void verification.add(picked)} />
        <div class="card stack">
          <PasteForm verification={verification} />
          <TrustForm verification={verification} />
        </div>
      </div>
      <FileProgress queue={verification.queue} />
      {!verification.isBusy.value || verification.queue.progress.value !== undefined ? null : (
        <div class="row spread">
          <Progress>
            {words.checking(wholeNumber(verification.checked.value ?? 0))}
            {verification.isWaiting.value ? <p class="small muted">{words.waiting}</p> : null}
          </Progress>
          <Button free onClick={() => verification.stop()}>
            {words.stop}
          </Button>
        </div>
      )}
      {verification.isTruncated.value ? <Notice kind="warning" title={words.drop.truncated} /> : null}
      {failure === undefined ? null : (
        <RetryForm kind="warning" error={failure} onRetry={() => void verification.check()}>
          {access}
        </RetryForm>
      )}
      <p class="visually-hidden" role="status">
        {verification.isBusy.value || rows.length === 0 ? null : words.done(rows.length)}
      </p>
      {/* What can be done with many files stands above their table. */}
      {rows.length > 1 ? [below, results] : [results, below]}
    </div>
  );
}
