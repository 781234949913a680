import type { Atomic } from "../journal/engine/atomic.ts";
import type { RecordStores } from "../records/index.ts";
import type { AccountStore, ServiceLogStore } from "../sessions/index.ts";
import type { ChatStore } from "./chat-store.ts";

/** The stores of the journal that the bot needs. */
export interface BotStores extends RecordStores {
  readonly chats: ChatStore;
  readonly accounts: AccountStore;
  readonly serviceLog: ServiceLogStore;
}

/** The part of the journal that the bot needs. */
export type BotJournal = Atomic<BotStores>;
