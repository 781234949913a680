import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { answerForm, chooseTyped, type Draft, type FormInput, keepAnswer, previousStep } from "./form.ts";
import { type Command, type Reply, type Request, textReply } from "./commands/command.ts";
import { type FormAction, formButton, formKey, positionText, question } from "./form-questions.ts";
import type { Message } from "./message.ts";
import { type Texts, TEXTS } from "./texts/texts.ts";
import { type CommandName, isCommandName, PRIVATE_COMMANDS } from "./commands/names.ts";
import type { BotEventSink } from "./events.ts";
import type { HandlerResult, Memo, UpdateHandler } from "./update-queue.ts";
import type { Incoming } from "./update.ts";
import type { Users } from "./user.ts";
import { SealbookError } from "../errors.ts";

/**
 * Handles input for an open form. The state of the form is only in the database, so that it continues after a restart.
 */
async function continueForm(
  request: Request,
  draft: Draft,
  input: FormInput | FormAction,
  confirm: Command,
): Promise<Reply> {
  const { user, texts } = request;
  if (typeof input !== "string") return answered(request, draft, answerForm(draft, input));
  switch (input) {
    case "cancel":
      return { messages: [closing(texts.formLeft, draft)], user: { ...user, draft: undefined } };
    case "back":
      return moved(request, draft, previousStep(draft));
    case "keep":
      return moved(request, draft, keepAnswer(draft));
    case "typed":
      return moved(request, draft, chooseTyped(draft));
    case "confirm":
      return draft.step === "confirm" ? confirm(request) : moved(request, draft, draft);
  }
}

function answered(request: Request, draft: Draft, next: ReturnType<typeof answerForm>): Reply {
  const { texts } = request;
  // Repeats the question with its buttons.
  if (typeof next === "string") return { messages: [question(draft, texts, texts.formFault(next))] };
  return moved(request, draft, next);
}

function moved({ user, texts }: Request, from: Draft, to: Draft): Reply {
  return { messages: [...farewell(from, to, texts), question(to, texts)], user: { ...user, draft: to } };
}

/** Removes the keyboard of the location question. */
function farewell(from: Draft, to: Draft, texts: Texts): Message[] {
  if (from.step !== "location" || to.step === "location") return [];
  const { location } = to.values;
  return [closing(location === undefined ? texts.back : texts.locationNoted(positionText(location)), from)];
}

function closing(text: string, { step }: Draft): Message {
  return { kind: "text", text, ...(step === "location" ? { keyboard: { kind: "none" } } : {}) };
}

const MINUTE_SECONDS = 60;

interface ConversationDeps {
  readonly commands: Readonly<Record<CommandName, Command>>;
  /** Confirms a completed form. */
  readonly confirm: Command;
  readonly users: Users;
  /** Messages per minute that the bot answers for one user. */
  readonly perMinute: number;
  /** The bot's user name, which commands in groups can include. */
  readonly name: () => string | undefined;
  readonly onEvent: BotEventSink;
}

/** Creates the handler that runs the command of an update and replies with its result or an error text. */
export function conversation(deps: ConversationDeps): UpdateHandler {
  const limiter = new RateLimiterMemory({ points: deps.perMinute, duration: MINUTE_SECONDS });

  return async (incoming, memo) => {
    const texts = TEXTS[incoming.language];
    // An update that was started before a restart is already counted.
    const excess = memo.previous === undefined ? await excessOf(limiter, incoming.sender, deps.perMinute) : 0;
    // Replies to the first message above the limit and ignores the others.
    if (excess > 0)
      return {
        messages:
          excess === 1 ? [...acknowledgement(incoming), { kind: "text", text: texts.tooMany(deps.perMinute) }] : [],
      };
    let command = "message";
    try {
      const request = await requestOf(deps, incoming, memo);
      const wanted = commandOf(incoming, deps.name());
      command = wanted?.name ?? command;
      const reply = await replyTo(deps, request, wanted);
      return answerOf(deps, incoming, request, reply);
    } catch (error) {
      const sentence = errorText(error, texts);
      if (sentence === undefined) deps.onEvent({ kind: "failed", command, error });
      return { messages: [...acknowledgement(incoming), { kind: "text", text: sentence ?? texts.failed }] };
    }
  };
}

interface Wanted {
  readonly name: string;
  readonly argument: string;
}

async function requestOf({ users }: ConversationDeps, incoming: Incoming, memo: Memo): Promise<Request> {
  const { sender, language, content } = incoming;
  const document = content.kind === "text" ? content.document : undefined;
  return { incoming, user: await users.find(sender), texts: TEXTS[language], language, argument: "", document, memo };
}

async function replyTo(deps: ConversationDeps, request: Request, wanted: Wanted | undefined): Promise<Reply> {
  const { texts, incoming } = request;
  if (wanted !== undefined) {
    const { name, argument } = wanted;
    if (!isCommandName(name)) return textReply(texts.unknownCommand(name));
    if (!incoming.isPrivate && PRIVATE_COMMANDS.has(name)) return textReply(texts.privateOnly(name));
    // A command cancels another command's wait for input.
    const user = { ...request.user, awaits: undefined };
    const reply = await deps.commands[name]({ ...request, user, argument });
    return { user, ...reply };
  }
  // Ignores conversations in groups.
  if (!incoming.isPrivate && incoming.content.kind !== "button_press") return { messages: [] };
  return continued(deps, request);
}

/** Handles an update that is not a command as input for the open form or the waiting command. */
async function continued(deps: ConversationDeps, request: Request): Promise<Reply> {
  const { user, texts, incoming } = request;
  const { content } = incoming;
  if (content.kind === "button_press") {
    const press = formButton(content.data);
    if (press === undefined || user.draft?.step !== press.step || !incoming.isPrivate)
      return { messages: [{ kind: "button_response", id: content.id, text: texts.buttonOver }] };
    const reply = await continueForm(request, user.draft, press.action, deps.confirm);
    return { ...reply, messages: [...acknowledgement(incoming), ...reply.messages] };
  }
  if (user.awaits !== undefined && content.kind === "text") {
    const argument = content.text.trim();
    const reply = await deps.commands[user.awaits]({ ...request, argument, user: { ...user, awaits: undefined } });
    return { user: { ...user, awaits: undefined }, ...reply };
  }
  if (user.draft === undefined) return textReply(texts.unknown);
  if (content.kind === "location")
    return continueForm(request, user.draft, { kind: "location", location: content.location }, deps.confirm);
  if (content.kind === "other" || content.document !== undefined)
    return continueForm(request, user.draft, { kind: "other" }, deps.confirm);
  return continueForm(request, user.draft, formKey(content.text) ?? { kind: "text", text: content.text }, deps.confirm);
}

function answerOf(
  { users }: ConversationDeps,
  { sender }: Incoming,
  before: Request,
  { messages, user }: Reply,
): HandlerResult {
  if (user === undefined || JSON.stringify(user) === JSON.stringify(before.user)) return { messages };
  return { messages, save: (journal) => users.save(journal, sender, user) };
}

/** Parses a command. Ignores commands for other bots. */
function commandOf({ content }: Incoming, ourName: string | undefined): Wanted | undefined {
  if (content.kind !== "text") return undefined;
  const [, name = "", other, argument = ""] =
    /^\/(\w{1,32})(?:@(\w+))?(?:\s+([^]*))?$/u.exec(content.text.trim()) ?? [];
  if (name === "" || (other !== undefined && other.toLowerCase() !== ourName?.toLowerCase())) return undefined;
  return { name: name.toLowerCase(), argument: argument.trim() };
}

/** Acknowledges a button press. */
function acknowledgement({ content }: Incoming): Message[] {
  return content.kind === "button_press" ? [{ kind: "button_response", id: content.id }] : [];
}

/** Returns the number of messages above the limit within the last minute. */
async function excessOf(limiter: RateLimiterMemory, sender: number, perMinute: number): Promise<number> {
  try {
    await limiter.consume(sender);
    return 0;
  } catch (error) {
    if (error instanceof RateLimiterRes) return error.consumedPoints - perMinute;
    throw error;
  }
}

/** Returns the user's text for an error; `undefined` for an internal error. */
function errorText(error: unknown, texts: Texts): string | undefined {
  if (!(error instanceof SealbookError)) return undefined;
  switch (error.code) {
    case "malformed":
    case "too_large":
    case "too_expensive":
      return texts.malformed(error.message);
    case "chain_unavailable": {
      const late = error.details?.find(({ path }) => path === "chainid");
      return late === undefined ? texts.chainAway : texts.storedLate(late.message);
    }
    case "chain_reverted":
      return texts.chainRefused;
    case "scope_refused":
      return texts.revoked;
    case "too_many_requests":
      return texts.tooManyRequests(error.retryAfterSeconds ?? 60);
    case "overloaded":
    case "journal_unavailable":
    case "not_leader":
    case "storage_full":
      return texts.busy;
    case "forbidden":
      return texts.noEnrolment;
    default:
      return undefined;
  }
}
