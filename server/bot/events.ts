/** Events of the bot for the log. They contain no personal data. */
export type BotEvent =
  /** The bot is connected, with its user name. */
  | { readonly kind: "ready"; readonly name: string }
  /** Emitted once per outage. */
  | { readonly kind: "unreachable"; readonly reason: string }
  | { readonly kind: "reachable" }
  /** Telegram rejected a message permanently: the chat does not exist or blocks the bot. */
  | { readonly kind: "undeliverable"; readonly reason: string }
  /** An internal error; the user received a general error text. */
  | { readonly kind: "failed"; readonly command: string; readonly error: unknown }
  /** A database error during processing; the bot retries. */
  | { readonly kind: "journal_failing"; readonly error: unknown }
  /** Stored data cannot be decrypted or parsed; the bot skips them. */
  | { readonly kind: "unreadable"; readonly what: string; readonly error: unknown }
  | { readonly kind: "registered"; readonly account: string };

export type BotEventSink = (event: BotEvent) => void;
