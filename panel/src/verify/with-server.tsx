import { type Signal, signal } from "@preact/signals";
import { AccessField } from "../access/access-field.tsx";
import { isAccessNeeded } from "../access/proof-access.ts";
import { onForget } from "../session/kept.ts";
import { texts } from "../texts/texts.ts";
import { Recorder } from "./recorder.ts";
import { RecordFiles } from "./record-files.tsx";
import { ServerDetails } from "./server-details.tsx";
import { ServerChain } from "./server-chain.ts";
import { serverRecords } from "./server-records.ts";
import { Verification } from "./verification.ts";
import { Verify } from "./verify.tsx";

/** A verification that compares with this server, and records there. */
export interface Desk {
  readonly verification: Verification;
  readonly recorder: Recorder;
  /** The name that was entered for a file, and the id of its row. */
  readonly entered: Signal<{ readonly of: string; readonly name: string }>;
}

/** Creates what outlives the views of the files, and ends with the session. */
export function createDesk(): Desk {
  const createWorker = () => new Worker(new URL("../files/file-worker.ts", import.meta.url), { type: "module" });
  const chain = new ServerChain();
  const verification = new Verification(createWorker, { node: (...run) => chain.node(...run), records: serverRecords });
  const recorder = new Recorder();
  onForget(() => {
    verification.clear();
    recorder.forget();
  });
  return { verification, recorder, entered: signal({ of: "", name: "" }) };
}

/**
 * Verifies files with bundles, the chain and the records of this server.
 * @param hasAccount Whether the reader can record files, and may send their names
 */
export function VerifyWithServer({ title, desk, hasAccount }: { title: string; desk: Desk; hasAccount: boolean }) {
  const { verification, recorder } = desk;
  const { about, aboutWithNames } = texts.value.verify;
  return (
    <Verify
      title={title}
      about={hasAccount ? aboutWithNames : about}
      verification={verification}
      onClear={() => recorder.forget()}
      access={isAccessNeeded.value ? <AccessField /> : null}
      more={(row) => <ServerDetails row={row} verification={verification} findsNames={hasAccount} />}
    >
      {hasAccount ? <RecordFiles desk={desk} /> : null}
    </Verify>
  );
}
