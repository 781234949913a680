import { computed, effect, signal } from "@preact/signals";
import { storedText } from "../stored-text.ts";

/** Light or dark; `undefined` follows the system. */
export type Theme = "light" | "dark";

const stored = storedText("theme");
const preference = matchMedia("(prefers-color-scheme: dark)");
const isSystemDark = signal(preference.matches);
/** The user's choice. */
const chosenTheme = signal<Theme | undefined>(themeOf(stored.read()));

/** The current theme. */
export const shownTheme = computed<Theme>(() => chosenTheme.value ?? (isSystemDark.value ? "dark" : "light"));

/** Applies the choice, now and on every change. */
export function startTheme(): void {
  preference.addEventListener("change", () => (isSystemDark.value = preference.matches));
  effect(() => {
    const theme = chosenTheme.value;
    if (theme === undefined) delete document.documentElement.dataset["theme"];
    else document.documentElement.dataset["theme"] = theme;
  });
}

/** Switches to the other theme. */
export function switchTheme(): void {
  const other = shownTheme.value === "dark" ? "light" : "dark";
  chosenTheme.value = other;
  stored.write(other);
}

function themeOf(text: string | undefined): Theme | undefined {
  return text === "light" || text === "dark" ? text : undefined;
}
