import { texts } from "../texts/texts.ts";
import { createDesk, VerifyWithServer } from "../verify/with-server.tsx";

/** The files stay while other sections are shown. */
const desk = createDesk();

/** Verifies files, and records those that are not recorded. */
export default function Proofs() {
  return <VerifyWithServer title={texts.value.verify.tabTitle} desk={desk} hasAccount />;
}
