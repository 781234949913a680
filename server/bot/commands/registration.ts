import { z } from "zod";
import { beginForm, completed, type SensorForm } from "../form.ts";
import type { BotJournal } from "../journal.ts";
import type { AccountService, NewAccount } from "../../sessions/index.ts";
import { SealbookError } from "../../errors.ts";
import type { Texts } from "../texts/texts.ts";
import { type Command, type Reply, type Request, textReply } from "./command.ts";
import { formText, question } from "../form-questions.ts";
import { hex } from "../../kit/bytes.ts";

/** Stored progress of a registration: the account before its enrolment. */
const StartedRegistration = z.object({
  prepared: z.object({ login: z.string(), password: z.string(), scope: z.literal("full"), keystore: z.string() }),
  signingKey: z.string(),
});

export interface RegistrationDeps {
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
