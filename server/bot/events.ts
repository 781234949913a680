/** What the bot tells the logger. Nothing in it says who wrote what. */
export type BotEvent =
  /** It is called by this name, and is told of what comes in this way. */
  | { readonly kind: "ready"; readonly name: string; readonly by: "polling" | "webhook" }
  /** Told once for each outage. */
  | { readonly kind: "unreachable"; readonly reason: string }
  | { readonly kind: "reachable" }
  /** Telegram will never take a message: who was to get it has gone, or keeps the bot out. */
  | { readonly kind: "undeliverable"; readonly reason: string }
  /** A fault of ours; whoever asked was told that there is one. */
  | { readonly kind: "failed"; readonly command: string; readonly error: unknown }
  /** The database does not take what came or was answered; it is tried again. */
  | { readonly kind: "journal_failing"; readonly error: unknown }
  /** What is stored cannot be read; it is left out. */
  | { readonly kind: "unreadable"; readonly what: string; readonly error: unknown }
  | { readonly kind: "registered"; readonly account: string };

export type BotEventSink = (event: BotEvent) => void;
