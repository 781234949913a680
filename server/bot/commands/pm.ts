import type { BotStores } from "../journal.ts";
import { z } from "zod";
import { parseReading, readingRecord } from "../reading.ts";
import type { AccountStore } from "../../sessions/index.ts";
import type { RecordIntent, RecordService } from "../../records/index.ts";
import type { ReadSource } from "../sensor-source.ts";
import type { Clock } from "../../kit/time.ts";
import { type Command, textReply } from "./command.ts";

/** Stored progress of a reading whose transaction is in flight. */
const StartedReading = z.object({
  value: z.number(),
  rowId: z.string().regex(/^\d+$/).transform(BigInt),
  transactionId: z.int(),
});

export interface PmDeps {
  readonly accounts: Pick<AccountStore, "find">;
  readonly records: RecordService<BotStores>;
  readonly readSource: ReadSource;
  /** @throws SealbookError `too_many_requests` */
  readonly storesPerAccount: (account: string) => Promise<void>;
  readonly explorerLink: (transactionHash: Uint8Array) => string;
  readonly clock: Clock;
}

/** `/pm`: stores the sensor's current value as a record signed with the user's key. */
export function pmCommand({ accounts, records, readSource, storesPerAccount, explorerLink, clock }: PmDeps): Command {
  return async ({ user, texts, argument, memo }) => {
    const { form, account } = user;
    if (form === undefined || account === undefined) return textReply(texts.notRegistered);
    const holder = await accounts.find(account.address);
    if (holder === undefined || !holder.enrolled) return textReply(texts.revoked);

    // After a restart, continues with the value read before.
    const begun = StartedReading.safeParse(memo.previous).data;
    let value = begun?.value;
    if (value === undefined && argument !== "") {
      value = parseReading(argument);
      if (value === undefined) return textReply(texts.notAValue(argument.slice(0, 64)));
    }
    if (value === undefined && form.source.kind === "typed")
      return textReply(texts.typeValue, { ...user, awaits: "pm" });
    if (value === undefined && form.source.kind === "http") {
      const read = await readSource(form.source);
      if (typeof read === "string") return textReply(texts.sourceFault(read));
      value = read;
    }
    if (value === undefined) return textReply(texts.typeValue);

    if (begun === undefined) await storesPerAccount(holder.address);
    const reading = value;
    const note = ({ rowId, transactionId }: RecordIntent) => ({
      value: reading,
      rowId: rowId.toString(),
      transactionId,
    });
    const signer = { account: holder, signingKey: Buffer.from(account.signingKey, "hex") };
    const { rowId, transactionHash } = await records.store(
      signer,
      readingRecord(holder.address, form, reading, clock()),
      {
        resume: begun,
        onIntent: (journal, intent) => memo.save(journal, note(intent)),
      },
    );
    return textReply(texts.stored(String(reading), rowId.toString(), explorerLink(transactionHash)));
  };
}
