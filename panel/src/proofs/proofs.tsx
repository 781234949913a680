import { texts } from "../texts/texts.ts";
import { VerifyWithServer, verificationWithServer } from "../verify/with-server.tsx";
import { ComparisonCard } from "./comparison-card.tsx";
import { RecordedDocuments } from "./recorded-documents.tsx";
import "./proofs.css";

/** The files stay while other sections are shown. */
const verification = verificationWithServer();

/** Verifies files, records those that are not recorded, and lists what is. */
export default function Proofs() {
  return (
    <div class="stack stack-wide">
      <VerifyWithServer title={texts.value.verify.tabTitle} verification={verification} hasAccount>
        <ComparisonCard verification={verification} />
      </VerifyWithServer>
      <RecordedDocuments />
    </div>
  );
}
