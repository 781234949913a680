import { noteUnauthorized } from "../access/proof-access.ts";
import { proofFailure } from "../access/proof-failure.ts";
import { RecordFiles } from "./record-files.tsx";
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
 * @param canRecord Whether files that are not recorded can be recorded
 */
export function VerifyWithServer({
  title,
  verification,
  canRecord,
}: {
  title: string;
  verification: Verification;
  canRecord: boolean;
}) {
  const rows = verification.rows.value.filter(
    ({ size, verdict }) => size !== undefined && verdict?.kind === "not_recorded",
  );
  const describe = (error: unknown) => {
    noteUnauthorized(error);
    return proofFailure(error);
  };
  return (
    <Verify title={title} verification={verification} failureText={describe}>
      {canRecord && rows.length > 0 ? (
        <RecordFiles key={rows.map(({ hash }) => hash).join()} rows={rows} verification={verification} />
      ) : null}
    </Verify>
  );
}
