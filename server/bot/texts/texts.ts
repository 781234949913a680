import { en, type Texts } from "./en.ts";
import { ru } from "./ru.ts";

export type { Texts } from "./en.ts";

export const TEXTS = { en, ru } satisfies Record<string, Texts>;

/** A language that the bot speaks. */
export type Language = keyof typeof TEXTS;
