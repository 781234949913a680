import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { AccessField } from "../access/access-field.tsx";
import { isAccessNeeded } from "../access/proof-access.ts";
import { Button } from "../components/button.tsx";
import { Notice } from "../components/notice.tsx";
import { Progress } from "../components/progress.tsx";
import { droppedFiles } from "../files/dropped-files.ts";
import { FileDrop } from "../files/file-drop.tsx";
import { FileProgress } from "../files/file-progress.tsx";
import { texts } from "../texts/texts.ts";
import { PasteForm } from "./paste-form.tsx";
import { Results } from "./results.tsx";
import { TrustForm } from "./trust-form.tsx";
import "./verify.css";
import type { Verification } from "./verification.ts";

/**
 * Verifies files: with bundles and statements by the verifier, else by what a server says.
 * @param title The page's heading
 * @param children What can be done with the results
 */
export function Verify({
  title,
  verification,
  failureText,
  children,
}: {
  title: string;
  verification: Verification;
  failureText: (error: unknown) => { readonly title: string; readonly help: string };
  children?: ComponentChildren;
}) {
  const { verify: words } = texts.value;
  const rows = verification.rows.value;
  const failure = verification.failure.value;
  // A file that is dropped beside the field must not take the place of the page.
  useEffect(() => {
    const allow = (event: DragEvent) => event.preventDefault();
    const drop = (event: DragEvent) => {
      if (event.defaultPrevented || event.dataTransfer === null) return;
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
  const failed = failure === undefined ? undefined : failureText(failure);
  return (
    <div class="stack stack-wide">
      <div class="heading">
        <div>
          <h1>{title}</h1>
          <p>{verification.hasServer ? words.about : words.aboutOffline}</p>
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
      {verification.isChecking.value && verification.queue.progress.value === undefined ? (
        <Progress>{words.checking}</Progress>
      ) : null}
      {verification.isTruncated.value ? <Notice kind="warning" title={words.drop.truncated} /> : null}
      {failed === undefined ? null : (
        <form
          class="stack"
          onSubmit={(event) => {
            event.preventDefault();
            void verification.check();
          }}
        >
          <Notice kind="warning" title={failed.title}>
            {failed.help}
          </Notice>
          {isAccessNeeded.value ? <AccessField /> : null}
          <div>
            <Button free type="submit">
              {texts.value.explorer.retry}
            </Button>
          </div>
        </form>
      )}
      <Results verification={verification} />
      {verification.isBusy.value ? null : children}
    </div>
  );
}
