import * as z from "zod";
import type { BotJournal } from "../journal.ts";
import { parseReading, readingRecord } from "../reading.ts";
import type { AccountService, NewAccount } from "../../sessions/index.ts";
import type { RecordService } from "../../records/index.ts";
import type { ReadSource } from "../sensor-source.ts";
import type { Clock } from "../../kit/time.ts";
import { type Command, type Reply, type Request, textReply } from "./command.ts";
import { beginForm, completed, type SensorForm } from "../form.ts";
import { SealbookError } from "../../errors.ts";
import type { Texts } from "../texts/texts.ts";
import { formText, question } from "../form-questions.ts";
import { hex } from "../../kit/bytes.ts";

/** Stored progress of a reading: its time in Unix milliseconds is part of the record. */
const StartedReading = z.object({ value: z.number(), time: z.int() });

interface PmDeps {
  readonly journal: BotJournal;
  readonly records: Pick<RecordService, "store">;
  readonly readSource: ReadSource;
  /** @throws SealbookError `too_many_requests` */
  readonly storesPerAccount: (account: string) => Promise<void>;
  readonly explorerLink: (transactionHash: Uint8Array) => string;
  readonly clock: Clock;
}

/** `/pm`: stores the sensor's current value as a record signed with the user's key. */
export function pmCommand({ journal, records, readSource, storesPerAccount, explorerLink, clock }: PmDeps): Command {
  return async ({ user, texts, argument, memo }) => {
    const { form, account } = user;
    if (form === undefined || account === undefined) return textReply(texts.notRegistered);
    const holder = await journal.accounts.find(account.address);
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
    const reading = begun ?? { value, time: clock() };
    // A repetition after a restart is the same call.
    if (begun === undefined) await journal.atomically((atomic) => memo.save(atomic, reading));
    const signer = { account: holder, signingKey: Buffer.from(account.signingKey, "hex") };
    const { rowId, transactionHash } = await records.store(
      signer,
      readingRecord(holder.address, form, reading.value, reading.time),
      { caller: `bot ${holder.address}`, text: memo.name },
    );
    return textReply(texts.stored(String(reading.value), rowId.toString(), explorerLink(transactionHash)));
  };
}

/** Stored progress of a registration: the account before its enrolment. */
const StartedRegistration = z.object({
  prepared: z.object({ login: z.string(), password: z.string(), scope: z.literal("full"), keystore: z.string() }),
  signingKey: z.string(),
});

interface RegistrationDeps {
  readonly journal: BotJournal;
  /** Undefined if the server cannot enrol accounts. */
  readonly accounts: AccountService | undefined;
  /** Lifetime of the message with the password. */
  readonly passwordSeconds: number;
  readonly onRegistered: (account: string) => void;
}

/** `/start`, `/reset` and `/fetch`. */
export function registrationCommands({
  accounts,
}: Pick<RegistrationDeps, "accounts">): Record<"start" | "reset" | "fetch", Command> {
  const begin = ({ user, texts }: Request): Reply => {
    const draft = beginForm(user.form);
    return { messages: [question(draft, texts)], user: { ...user, draft } };
  };
  return {
    async start(request) {
      const { user, texts } = request;
      if (user.account !== undefined) return textReply(texts.already);
      return accounts === undefined ? textReply(texts.noEnrolment) : begin(request);
    },

    async reset(request) {
      return request.user.form === undefined ? textReply(request.texts.noForm) : begin(request);
    },

    async fetch({ user, texts }) {
      if (user.form === undefined) return textReply(texts.noForm);
      const account = user.account === undefined ? [] : [texts.accountOf(user.account.address)];
      return textReply([formText(user.form, texts), ...account].join("\n"));
    },
  };
}

/** Handles a confirmed form: creates an account if the user has none, and stores the form. */
export function confirmation({ journal, accounts, passwordSeconds, onRegistered }: RegistrationDeps): Command {
  const prepare = async (memo: Request["memo"]): Promise<z.output<typeof StartedRegistration>> => {
    const begun = StartedRegistration.safeParse(memo.previous).data;
    if (begun !== undefined) return begun;
    if (accounts === undefined) throw new SealbookError("forbidden", "ADMIN_KEY is not set");
    const { login, password, keystore, signingKey } = await accounts.prepare("full");
    const made = {
      prepared: { login, password, scope: "full" as const, keystore },
      signingKey: hex(signingKey),
    };
    await journal.atomically((atomic) => memo.save(atomic, made));
    return made;
  };

  return async ({ user, texts, memo }) => {
    const form = user.draft && completed(user.draft);
    if (form === undefined) return textReply(texts.unknown);
    if (user.account !== undefined) return textReply(texts.formSaved, { ...user, form, draft: undefined });
    if (accounts === undefined) return textReply(texts.noEnrolment);
    const { prepared, signingKey } = await prepare(memo);
    await accounts.enrol(prepared);
    onRegistered(prepared.login);
    return registered(user, form, prepared, signingKey, texts, passwordSeconds);
  };
}

function registered(
  user: Request["user"],
  form: SensorForm,
  { login, password }: NewAccount,
  signingKey: string,
  texts: Texts,
  passwordSeconds: number,
): Reply {
  return {
    messages: [
      {
        kind: "text",
        text: texts.password(login, password, texts.minutes(passwordSeconds)),
        code: [login, password],
        lifetimeMilliseconds: 1000 * passwordSeconds,
      },
      { kind: "text", text: texts.registered },
    ],
    user: { ...user, form, draft: undefined, account: { address: login, signingKey } },
  };
}
