import type { Memo } from "../update-queue.ts";
import type { Message } from "../message.ts";
import type { Language, Texts } from "../texts/texts.ts";
import type { Incoming, SentDocument } from "../update.ts";
import type { User } from "../user.ts";

/** A command with its context. */
export interface Request {
  readonly incoming: Incoming;
  readonly user: User;
  readonly texts: Texts;
  readonly language: Language;
  /** The text after the command. */
  readonly argument: string;
  readonly document: SentDocument | undefined;
  readonly memo: Memo;
}

/** Reply of a command. */
export interface Reply {
  readonly messages: readonly Message[];
  /** New state of the user; unchanged if unset. */
  readonly user?: User;
}

/** @throws SealbookError, which the bot converts to an error text */
export type Command = (request: Request) => Promise<Reply>;

/** Creates a reply with one text. */
export function textReply(text: string, user?: User): Reply {
  return { messages: [{ kind: "text", text }], ...(user === undefined ? {} : { user }) };
}

/** Formats a time in UTC. */
export function moment(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}
