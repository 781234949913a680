import type { ComponentChildren } from "preact";
import { AccessField } from "../access/access-field.tsx";
import { isAccessNeeded } from "../access/proof-access.ts";
import { onForget } from "../session/kept.ts";
import { texts } from "../texts/texts.ts";
import { RecordFiles } from "../recording/record-files.tsx";
import { ServerDetails } from "./server-details.tsx";
import { ServerChain } from "./server-chain.ts";
import { serverRecords } from "./server-records.ts";
import { Verification } from "./verification.ts";
import { Verify } from "./verify.tsx";

/** Creates a verification that compares with this server. It outlives its view, and ends with the session. */
export function verificationWithServer(): Verification {
  const createWorker = () => new Worker(new URL("../files/file-worker.ts", import.meta.url), { type: "module" });
  const chain = new ServerChain();
  const verification = new Verification(createWorker, { node: (...run) => chain.node(...run), records: serverRecords });
  onForget(() => verification.clear());
  return verification;
}

/**
 * Verifies files with bundles, the chain and the records of this server.
 * @param hasAccount Whether the reader can record files, and may send their names
 */
export function VerifyWithServer({
  title,
  verification,
  hasAccount,
  children,
}: {
  title: string;
  verification: Verification;
  hasAccount: boolean;
  children?: ComponentChildren;
}) {
  const { about, aboutWithNames } = texts.value.verify;
  return (
    <Verify
      title={title}
      about={hasAccount ? aboutWithNames : about}
      verification={verification}
      access={isAccessNeeded.value ? <AccessField /> : null}
      more={(row) => <ServerDetails row={row} verification={verification} findsNames={hasAccount} />}
    >
      {hasAccount ? <RecordFiles verification={verification} /> : null}
      {children}
    </Verify>
  );
}
