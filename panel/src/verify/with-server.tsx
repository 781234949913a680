import { AccessField } from "../access/access-field.tsx";
import { isAccessNeeded } from "../access/proof-access.ts";
import { proofFailure } from "../access/proof-failure.ts";
import { texts } from "../texts/texts.ts";
import { RecordFiles } from "./record-files.tsx";
import { ServerDetails } from "./server-details.tsx";
import { serverChain } from "./server-chain.ts";
import { serverRecords } from "./server-records.ts";
import { Verification } from "./verification.ts";
import { Verify } from "./verify.tsx";

/** Creates a verification that compares with this server. */
export function serverVerification(): Verification {
  const createWorker = () => new Worker(new URL("../files/file-worker.ts", import.meta.url), { type: "module" });
  return new Verification(createWorker, { chain: serverChain, records: serverRecords });
}

/**
 * Verifies files with bundles, the chain and the records of this server.
 * @param hasAccount Whether the reader can record files, and may send their names
 */
export function VerifyWithServer({
  title,
  verification,
  hasAccount,
}: {
  title: string;
  verification: Verification;
  hasAccount: boolean;
}) {
  const { about, aboutWithNames } = texts.value.verify;
  return (
    <Verify
      title={title}
      about={hasAccount ? aboutWithNames : about}
      verification={verification}
      failureText={proofFailure}
      access={isAccessNeeded.value ? <AccessField /> : null}
      more={(row) => <ServerDetails row={row} verification={verification} findsNames={hasAccount} />}
    >
      {hasAccount ? <RecordFiles verification={verification} /> : null}
    </Verify>
  );
}
