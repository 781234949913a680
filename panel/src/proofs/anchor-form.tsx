import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { ProofResponse } from "../../../client/index.ts";
import { pause } from "../../../client/pause.ts";
import { Button } from "../components/button.tsx";
import { Facts } from "../components/facts.tsx";
import { Field } from "../components/field.tsx";
import { Notice } from "../components/notice.tsx";
import { Progress } from "../components/progress.tsx";
import { Hash } from "../explorer/hash.tsx";
import { Moment } from "../format/moment.tsx";
import { wholeNumber } from "../format/numbers.ts";
import { AccessField } from "../proof/access-field.tsx";
import { isAccessNeeded, noteUnauthorized, proofClient } from "../proof/proof-access.ts";
import { proofFailure } from "../proof/proof-failure.ts";
import { texts } from "../texts/texts.ts";
import type { Document } from "../proof/document.ts";
import { recordAs } from "./proofs-state.ts";
import { DownloadBundle } from "./download-bundle.tsx";

const POLL_MILLISECONDS = 2_000;

interface AnchorFormProps {
  readonly document: Document;
  /** Whether another content is recorded under the file's name. */
  readonly isChange: boolean;
  /** Called when the server has accepted the hash. */
  readonly onSubmitted: () => void;
}

/** Records a file's hash and shows the progress. */
export function AnchorForm({ document, isChange, onSubmitted }: AnchorFormProps) {
  const { anchoring: words } = texts.value.proofs;
  const { id, type } = recordAs.value ?? { id: document.name, type: "" };
  const edit = (change: { id: string } | { type: string }) => (recordAs.value = { id, type, ...change });
  const response = useSignal<ProofResponse | undefined>(undefined);
  const isSending = useSignal(false);
  const failure = useSignal<unknown>(undefined);
  const ended = useRef(new AbortController());
  useEffect(() => () => ended.current.abort(), []);

  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (id.trim() === "" || isSending.value) return;
    isSending.value = true;
    failure.value = undefined;
    try {
      const metadata = { source: "panel", ...(type.trim() === "" ? {} : { type: type.trim() }) };
      const { signal } = ended.current;
      // The form shows the wait: it polls instead of waiting in the call.
      const client = proofClient();
      response.value = await client.submit(
        { document_id: id.trim(), hash: document.hash, metadata },
        { signal, confirmWithinMilliseconds: 0 },
      );
      onSubmitted();
      while (response.value.status === "pending") {
        await pause(POLL_MILLISECONDS, signal);
        response.value = (await client.find(response.value.id, { signal })) ?? response.value;
      }
    } catch (error) {
      if (ended.current.signal.aborted) return;
      noteUnauthorized(error);
      failure.value = error;
    }
    isSending.value = false;
  };

  const proof = response.value;
  if (proof?.status === "confirmed") return <Confirmed proof={proof} name={document.name} />;
  const failed = failure.value === undefined ? undefined : proofFailure(failure.value);
  return (
    <form class="card stack" onSubmit={(event) => void send(event)}>
      <div>
        <h2>{isChange ? words.titleChange : words.title}</h2>
        <p class="muted">{words.about}</p>
      </div>
      <div class="columns">
        <Field
          label={words.documentId}
          hint={words.documentIdHint}
          {...(id.trim() === "" ? { error: words.documentIdMissing } : {})}
        >
          {(control) => (
            <input
              {...control}
              value={id}
              maxLength={512}
              autocomplete="off"
              onInput={(event) => edit({ id: event.currentTarget.value })}
            />
          )}
        </Field>
        <Field label={words.type} hint={words.typeHint}>
          {(control) => (
            <input
              {...control}
              value={type}
              maxLength={128}
              autocomplete="off"
              onInput={(event) => edit({ type: event.currentTarget.value })}
            />
          )}
        </Field>
      </div>
      {isAccessNeeded.value ? <AccessField /> : null}
      {failed === undefined ? null : (
        <Notice kind="bad" title={failed.title}>
          {failed.help}
        </Notice>
      )}
      {isSending.value ? <Progress>{proof === undefined ? words.sending : words.pending}</Progress> : null}
      <div>
        <Button free kind="main" icon="proofs" type="submit" busy={isSending.value}>
          {words.button}
        </Button>
      </div>
    </form>
  );
}

function Confirmed({
  proof: { id, proof },
  name,
}: {
  proof: Extract<ProofResponse, { status: "confirmed" }>;
  name: string;
}) {
  const { anchoring: words, verdicts } = texts.value.proofs;
  return (
    <section class="card stack">
      <Notice kind="good" title={words.confirmed}>
        {words.confirmedHelp}
      </Notice>
      <Facts
        of={[
          [words.documentId, proof.document_id],
          [verdicts.recorded, <Moment at={proof.timestamp} />],
          [
            words.block,
            <a class="number" href={`/explorer/block/${proof.block_number}`}>
              {wholeNumber(proof.block_number)}
            </a>,
          ],
          [verdicts.transaction, <Hash whole value={proof.tx_hash} href={`/explorer/tx/${proof.tx_hash}`} />],
        ]}
      />
      <DownloadBundle of={id} name={name} />
    </section>
  );
}
