/** The commands, in the order of the menu. */
export const COMMAND_NAMES = [
  "start",
  "reset",
  "fetch",
  "help",
  "pm",
  "providers",
  "map",
  "livemap",
  "time",
  "trxlog",
  "synclog",
  "gethlog",
  "balance",
  "decode",
  "decompress",
] as const;

export type CommandName = (typeof COMMAND_NAMES)[number];

/** Commands that work only in private chats. */
export const PRIVATE_COMMANDS: ReadonlySet<CommandName> = new Set(["start", "reset", "fetch", "pm"]);

export function isCommandName(text: string): text is CommandName {
  return COMMAND_NAMES.some((name) => name === text);
}
