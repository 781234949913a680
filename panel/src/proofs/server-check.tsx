import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Button } from "../components/button.tsx";
import { Facts } from "../components/facts.tsx";
import { Notice } from "../components/notice.tsx";
import { Progress } from "../components/progress.tsx";
import { Hash } from "../explorer/hash.tsx";
import { Moment } from "../format/moment.tsx";
import { AccessField } from "../proof/access-field.tsx";
import { FileDrop } from "../proof/file-drop.tsx";
import { isAccessNeeded, noteUnauthorized } from "../proof/proof-access.ts";
import { proofFailure } from "../proof/proof-failure.ts";
import { texts } from "../texts/texts.ts";
import { AnchorForm } from "./anchor-form.tsx";
import type { Document } from "../proof/document.ts";
import { DownloadBundle } from "./download-bundle.tsx";
import { findRecorded, type Recorded } from "./recorded-file.ts";

/** The record of a file according to the server's journal and the chain; and a form to record it. */
export function ServerCheck({ document, onFiles }: { document: Document; onFiles: (files: File[]) => void }) {
  const words = texts.value.proofs;
  const recorded = useSignal<Recorded | undefined>(undefined);
  const failure = useSignal<unknown>(undefined);
  const attempt = useSignal(0);
  // From then on the form says what is recorded.
  const isSubmitted = useSignal(false);
  useEffect(() => {
    let isMounted = true;
    failure.value = undefined;
    findRecorded(document).then(
      (found) => isMounted && (recorded.value = found),
      (error: unknown) => {
        if (!isMounted) return;
        noteUnauthorized(error);
        failure.value = error;
      },
    );
    return () => void (isMounted = false);
  }, [document.hash, attempt.value]);
  if (failure.value !== undefined) {
    const { title, help } = proofFailure(failure.value);
    return (
      <form class="stack" onSubmit={(event) => (event.preventDefault(), (attempt.value += 1))}>
        <Notice kind="bad" title={title}>
          {help}
        </Notice>
        {isAccessNeeded.value ? <AccessField /> : null}
        <div>
          <Button free type="submit">
            {texts.value.explorer.retry}
          </Button>
        </div>
      </form>
    );
  }
  if (recorded.value === undefined) return <Progress>{words.searching}</Progress>;
  return (
    <div class="stack stack-wide">
      {isSubmitted.value ? null : <Verdict document={document} recorded={recorded.value} />}
      {recorded.value.kind === "same" ? (
        <DownloadBundle of={recorded.value.id} name={document.name} />
      ) : (
        <AnchorForm
          document={document}
          isChange={recorded.value.kind === "changed"}
          onSubmitted={() => (isSubmitted.value = true)}
        />
      )}
      <section class="stack">
        <h2>{words.withBundle}</h2>
        <FileDrop
          small
          title={words.dropBundle}
          hint={words.dropBundleHint}
          accept=".json,application/json"
          onFiles={onFiles}
        />
      </section>
    </div>
  );
}

function Verdict({ document, recorded }: { document: Document; recorded: Recorded }) {
  const { verdicts } = texts.value.proofs;
  switch (recorded.kind) {
    case "same":
      return (
        <section class="card stack verdict-good">
          <Notice kind="good" title={verdicts.same}>
            {verdicts.sameHelp}
          </Notice>
          <Facts
            of={[
              [verdicts.recorded, <Moment at={recorded.timestamp} />],
              [
                verdicts.transaction,
                <Hash whole value={recorded.transaction} href={`/explorer/tx/${recorded.transaction}`} />,
              ],
            ]}
          />
        </section>
      );
    case "changed":
      return (
        <section class="card stack">
          <Notice kind="bad" title={verdicts.changed}>
            {verdicts.changedHelp(document.name)}
          </Notice>
          <Facts
            of={[
              [verdicts.recordedHash, <Hash whole value={recorded.recordedHash} />],
              [verdicts.foundHash, <Hash whole value={document.hash} />],
              recorded.timestamp === undefined ? undefined : [verdicts.recorded, <Moment at={recorded.timestamp} />],
            ]}
          />
        </section>
      );
    case "waiting":
      return (
        <Notice kind="warning" title={verdicts.waiting}>
          {verdicts.waitingHelp}
        </Notice>
      );
    case "unknown":
      return (
        <Notice kind="warning" title={verdicts.unknown}>
          {verdicts.unknownHelp}
        </Notice>
      );
  }
}
