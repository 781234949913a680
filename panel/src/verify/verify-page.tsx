import { access } from "../access/proof-access.ts";
import { session } from "../session/session.ts";
import { texts } from "../texts/texts.ts";
import { VerifyWithServer, verificationWithServer } from "./with-server.tsx";

const verification = verificationWithServer();

/** Verifies a text that was entered elsewhere: a bundle or a statement. */
export function verifyText(text: string): void {
  void verification.paste(text).then((isTaken) => {
    if (!isTaken) verification.failure.value = new Error(texts.value.verify.paste.unreadable);
  });
}

/** The page at `/verify`: for everybody, without an account. */
export default function VerifyPage() {
  const { verify: words } = texts.value;
  const isLoggedIn = session.current.value !== undefined || access.value !== "";
  return (
    <div class="stack stack-wide">
      <VerifyWithServer title={words.title} verification={verification} hasAccount={isLoggedIn} />
      <p class="small muted no-print">
        <a href="/verify/offline.html" download="sealbook-verify.html">
          {words.offlinePage}
        </a>
        {isLoggedIn ? null : (
          <>
            {" · "}
            <a href="/proofs">{words.record.logIn}</a>
          </>
        )}
      </p>
    </div>
  );
}
