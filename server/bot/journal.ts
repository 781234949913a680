import type { Atomic } from "../journal/engine/database.ts";
import type { RecordStores } from "../records/index.ts";
import type { AccountStore, ServiceLogStore } from "../sessions/index.ts";
import type { ChatStore } from "./chat-store.ts";

/** The journal stores of the bot. */
export interface BotStores extends Pick<RecordStores, "records"> {
  readonly chats: ChatStore;
  readonly accounts: AccountStore;
  readonly serviceLog: ServiceLogStore;
}

/** The journal of the bot. */
export type BotJournal = Atomic<BotStores>;
