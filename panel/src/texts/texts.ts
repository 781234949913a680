import { signal } from "@preact/signals";
import { storedText } from "../stored-text.ts";
import { en } from "./en.ts";

/** Every text of the interface. A language is a file with all of them. */
export type Texts = typeof en;

/** A language: its own name, and its texts. */
interface Language {
  readonly name: string;
  readonly load: () => Promise<Texts>;
}

/** The available languages, by their tags. */
export const LANGUAGES: ReadonlyMap<string, Language> = new Map([
  ["en", { name: "English", load: async () => en }],
  ["ru", { name: "Русский", load: async () => (await import("./ru.ts")).ru }],
]);

const stored = storedText("language");

/** The texts of the chosen language; a component that reads them is rendered again on a change. */
export const texts = signal<Texts>(en);
/** Its tag, with the region that the browser requests; determines the format of dates and numbers. */
export const language = signal("en");

/** Selects the language chosen before, else the first available language of the browser's preferences. */
export async function startTexts(): Promise<void> {
  const candidates = [stored.read(), ...navigator.languages.map((tag) => tag.split("-")[0])];
  await useLanguage(candidates.find((tag) => tag !== undefined && LANGUAGES.has(tag)) ?? "en").catch(() => undefined);
}

/** Changes the language, and stores the choice. */
export async function chooseLanguage(tag: string): Promise<void> {
  await useLanguage(tag);
  stored.write(tag);
}

async function useLanguage(tag: string): Promise<void> {
  const loaded = await LANGUAGES.get(tag)?.load();
  if (loaded === undefined) return;
  texts.value = loaded;
  language.value = navigator.languages.find((given) => given.split("-")[0] === tag && isLanguageTag(given)) ?? tag;
  document.documentElement.lang = tag;
}

/** A browser can take its languages from the locale of the system, such as `en-US@posix`, which formats refuse. */
function isLanguageTag(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1;
  } catch {
    return false;
  }
}
