import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { type CommandName, isCommandName, PRIVATE_COMMANDS } from "./commands/names.ts";
import { type Command, type Reply, type Request, say } from "./commands/command.ts";
import type { BotEventSink } from "./events.ts";
import { sentenceOf } from "./failures.ts";
import { continueForm } from "./form-conversation.ts";
import { formKey, formTouch } from "./form-questions.ts";
import type { Answer, Answerer, Memo } from "./inbox.ts";
import type { Message } from "./message.ts";
import { TEXTS } from "./texts/texts.ts";
import type { Incoming } from "./update.ts";
import type { Users } from "./user.ts";

const MINUTE_SECONDS = 60;

export interface ConversationDeps {
  readonly commands: Readonly<Record<CommandName, Command>>;
  /** Of a filled-in form. */
  readonly confirm: Command;
  readonly users: Users;
  /** Messages that one person is answered in a minute. */
  readonly perMinute: number;
  /** How the bot is called in groups, where commands name whom they are for. */
  readonly name: () => string | undefined;
  readonly onEvent: BotEventSink;
}

/** Finds out what somebody wants, and has it answered; whatever goes wrong is answered with a sentence. */
export function conversation(deps: ConversationDeps): Answerer {
  const limiter = new RateLimiterMemory({ points: deps.perMinute, duration: MINUTE_SECONDS });

  return async (incoming, memo) => {
    const texts = TEXTS[incoming.language];
    // What was begun before a restart was within the limit.
    const excess = memo.earlier === undefined ? await excessOf(limiter, incoming.sender, deps.perMinute) : 0;
    // The first one too many is told so; the others are not worth a word.
    if (excess > 0)
      return {
        messages: excess === 1 ? [...touched(incoming), { kind: "text", text: texts.tooMany(deps.perMinute) }] : [],
      };
    let command = "message";
    try {
      const request = await requestOf(deps, incoming, memo);
      const wanted = commandOf(incoming, deps.name());
      command = wanted?.name ?? command;
      const reply = await replyTo(deps, request, wanted);
      return answerOf(deps, incoming, request, reply);
    } catch (error) {
      const sentence = sentenceOf(error, texts);
      if (sentence === undefined) deps.onEvent({ kind: "failed", command, error });
      return { messages: [...touched(incoming), { kind: "text", text: sentence ?? texts.failed }] };
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
    if (!isCommandName(name)) return say(texts.unknownCommand(name));
    if (!incoming.isPrivate && PRIVATE_COMMANDS.has(name)) return say(texts.privateOnly(name));
    // A command instead of the input that another one waits for: it waits no longer.
    const user = { ...request.user, awaits: undefined };
    const reply = await deps.commands[name]({ ...request, user, argument });
    return { user, ...reply };
  }
  // In a group people speak with each other.
  if (!incoming.isPrivate && incoming.content.kind !== "touch") return { messages: [] };
  return continued(deps, request);
}

/** What is no command belongs to what was asked before. */
async function continued(deps: ConversationDeps, request: Request): Promise<Reply> {
  const { user, texts, incoming } = request;
  const { content } = incoming;
  if (content.kind === "touch") {
    const touch = formTouch(content.data);
    if (touch === undefined || user.draft?.step !== touch.step || !incoming.isPrivate)
      return { messages: [{ kind: "touched", id: content.id, text: texts.buttonOver }] };
    const reply = await continueForm(request, user.draft, touch.action, deps.confirm);
    return { ...reply, messages: [...touched(incoming), ...reply.messages] };
  }
  if (user.awaits !== undefined && content.kind === "text") {
    const argument = content.text.trim();
    const reply = await deps.commands[user.awaits]({ ...request, argument, user: { ...user, awaits: undefined } });
    return { user: { ...user, awaits: undefined }, ...reply };
  }
  if (user.draft === undefined) return say(texts.unknown);
  if (content.kind === "place")
    return continueForm(request, user.draft, { kind: "place", place: content.place }, deps.confirm);
  if (content.kind === "other" || content.document !== undefined)
    return continueForm(request, user.draft, { kind: "other" }, deps.confirm);
  return continueForm(request, user.draft, formKey(content.text) ?? { kind: "text", text: content.text }, deps.confirm);
}

function answerOf(
  { users }: ConversationDeps,
  { sender }: Incoming,
  before: Request,
  { messages, user }: Reply,
): Answer {
  if (user === undefined || JSON.stringify(user) === JSON.stringify(before.user)) return { messages };
  return { messages, save: (journal) => users.save(journal, sender, user) };
}

/** A command; in groups only what is for us. */
function commandOf({ content }: Incoming, ourName: string | undefined): Wanted | undefined {
  if (content.kind !== "text") return undefined;
  const [, name = "", other, argument = ""] =
    /^\/(\w{1,32})(?:@(\w+))?(?:\s+([^]*))?$/u.exec(content.text.trim()) ?? [];
  if (name === "" || (other !== undefined && other.toLowerCase() !== ourName?.toLowerCase())) return undefined;
  return { name: name.toLowerCase(), argument: argument.trim() };
}

/** A touched button stops waiting. */
function touched({ content }: Incoming): Message[] {
  return content.kind === "touch" ? [{ kind: "touched", id: content.id }] : [];
}

/** How many more than allowed somebody has sent within the last minute. */
async function excessOf(limiter: RateLimiterMemory, sender: number, perMinute: number): Promise<number> {
  try {
    await limiter.consume(sender);
    return 0;
  } catch (error) {
    if (error instanceof RateLimiterRes) return error.consumedPoints - perMinute;
    throw error;
  }
}
