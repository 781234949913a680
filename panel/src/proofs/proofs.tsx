import { forgetAccess } from "../access/proof-access.ts";
import { onForget } from "../session/kept.ts";
import { texts } from "../texts/texts.ts";
import { createDesk, type Desk, VerifyWithServer } from "../verify/with-server.tsx";

/** The files of the account that is logged in: they stay while other tabs are shown. */
let desk: Desk = createDesk();
onForget(() => {
  desk.verification.clear();
  desk.recorder.forget();
  forgetAccess();
  desk = createDesk();
});

/** Verifies files, and records those that are not recorded. */
export default function Proofs() {
  return <VerifyWithServer title={texts.value.verify.tabTitle} desk={desk} hasAccount />;
}
