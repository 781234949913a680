import { session } from "../session/session.ts";
import { texts } from "../texts/texts.ts";
import type { Verification } from "../verify/verification.ts";
import { serverVerification, VerifyWithServer } from "../verify/with-server.tsx";

/** The files of the account that is logged in: they stay while other tabs are shown. */
let files: { readonly account: string | undefined; readonly verification: Verification } | undefined;

/** Verifies files, and records those that are not recorded. */
export default function Proofs() {
  const account = session.current.value?.account;
  if (files === undefined || files.account !== account) {
    files?.verification.clear();
    files = { account, verification: serverVerification() };
  }
  return <VerifyWithServer title={texts.value.verify.tabTitle} verification={files.verification} hasAccount />;
}
