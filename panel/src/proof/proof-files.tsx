import { useSignal } from "@preact/signals";
import { type Audience, AUDIENCES } from "../../../server/attestation/responses.ts";
import { AccessField } from "../access/access-field.tsx";
import { isAccessNeeded, noteUnauthorized, proofClient } from "../access/proof-access.ts";
import { Button } from "../components/button.tsx";
import { saveFile } from "../components/save-file.ts";
import { ErrorNotice } from "../errors/error-notice.tsx";
import { texts } from "../texts/texts.ts";
import { baseName } from "../verify/pairing.ts";
import type { Certificate } from "./certificate.ts";

/** The files that prove a document: its bundle, and statements as PDF that the server signs. */
export function ProofFiles({ documentId, bundle }: { documentId: string; bundle: NonNullable<Certificate["bundle"]> }) {
  const { certificate: words, verify } = texts.value;
  const busy = useSignal<Audience | undefined>(undefined);
  const failure = useSignal<unknown>(undefined);
  const saveStatement = async (audience: Audience): Promise<void> => {
    busy.value = audience;
    failure.value = undefined;
    try {
      const pdf = await proofClient().attestPdf({ document_id: documentId, audience });
      saveFile(new Uint8Array(pdf), `${baseName(documentId)}.${audience}.pdf`, "application/pdf");
    } catch (error) {
      noteUnauthorized(error);
      failure.value = error;
    }
    busy.value = undefined;
  };
  return (
    <>
      <div class="row no-print">
        <Button
          free
          kind="main"
          icon="download"
          onClick={() => saveFile(bundle.text, baseName(bundle.name), "application/json")}
        >
          {words.bundle}
        </Button>
        {AUDIENCES.map((audience) => (
          <Button
            key={audience}
            free
            icon="download"
            busy={busy.value !== undefined}
            onClick={() => void saveStatement(audience)}
          >
            {words.statements[audience]}
          </Button>
        ))}
        <Button free onClick={() => print()}>
          {verify.print}
        </Button>
      </div>
      <p class="small muted no-print">{words.statementsAbout}</p>
      {failure.value === undefined ? null : <ErrorNotice error={failure.value} />}
      {failure.value !== undefined && isAccessNeeded.value ? <AccessField /> : null}
    </>
  );
}
