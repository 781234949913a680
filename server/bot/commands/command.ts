import type { Memo } from "../inbox.ts";
import type { Message } from "../message.ts";
import type { Language, Texts } from "../texts/texts.ts";
import type { Incoming, SentDocument } from "../update.ts";
import type { User } from "../user.ts";

/** A command as it came. */
export interface Request {
  readonly incoming: Incoming;
  readonly user: User;
  readonly texts: Texts;
  readonly language: Language;
  /** What stands after the command. */
  readonly argument: string;
  readonly document: SentDocument | undefined;
  readonly memo: Memo;
}

/** What is answered. */
export interface Reply {
  readonly messages: readonly Message[];
  /** What is known of who asked, from now on; the same as before when unset. */
  readonly user?: User;
}

/** @throws SealbookError for what goes wrong; it is told as a sentence */
export type Command = (request: Request) => Promise<Reply>;

/** A reply of one text. */
export function say(text: string, user?: User): Reply {
  return { messages: [{ kind: "text", text }], ...(user === undefined ? {} : { user }) };
}

/** A moment as people read it, in UTC. */
export function moment(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}
