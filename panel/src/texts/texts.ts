import { signal } from "@preact/signals";
import { kept } from "../kept.ts";
import { en } from "./en.ts";

/** Every text that is shown. A language is a file with all of them. */
export type Texts = typeof en;

/** A language: how it calls itself, and its texts. */
interface Language {
  readonly name: string;
  readonly load: () => Promise<Texts>;
}

/** The languages there are, by their tags. */
export const LANGUAGES: ReadonlyMap<string, Language> = new Map([
  ["en", { name: "English", load: async () => en }],
  ["ru", { name: "Русский", load: async () => (await import("./ru.ts")).ru }],
]);

const stored = kept("language");

/** The texts of the language that is chosen; a component that reads them is drawn anew when it changes. */
export const texts = signal<Texts>(en);
/** Its tag, with the region that the browser asks for: dates and numbers are written by it. */
export const language = signal("en");

/** Begins with the language chosen before, else with the first that the browser asks for and there is. */
export async function startTexts(): Promise<void> {
  const wanted = [stored.read(), ...navigator.languages.map((tag) => tag.split("-")[0])];
  await useLanguage(wanted.find((tag) => tag !== undefined && LANGUAGES.has(tag)) ?? "en").catch(() => undefined);
}

/** Changes the language, and keeps the choice. */
export async function chooseLanguage(tag: string): Promise<void> {
  await useLanguage(tag);
  stored.write(tag);
}

async function useLanguage(tag: string): Promise<void> {
  const loaded = await LANGUAGES.get(tag)?.load();
  if (loaded === undefined) return;
  texts.value = loaded;
  language.value = navigator.languages.find((wanted) => wanted.split("-")[0] === tag) ?? tag;
  document.documentElement.lang = tag;
}
