import { effect, signal } from "@preact/signals";
import { kept } from "../kept.ts";

/** Light or dark; `undefined` follows the system. */
export type Theme = "light" | "dark";

const stored = kept("theme");
const system = matchMedia("(prefers-color-scheme: dark)");

/** What the reader has chosen. */
export const chosenTheme = signal<Theme | undefined>(themeOf(stored.read()));

/** Applies the choice, now and whenever it changes. */
export function startTheme(): void {
  effect(() => {
    const theme = chosenTheme.value;
    if (theme === undefined) delete document.documentElement.dataset["theme"];
    else document.documentElement.dataset["theme"] = theme;
  });
}

/** Changes to what is not shown now. */
export function switchTheme(): void {
  const shown = chosenTheme.value ?? (system.matches ? "dark" : "light");
  chosenTheme.value = shown === "dark" ? "light" : "dark";
  stored.write(chosenTheme.value);
}

function themeOf(text: string | undefined): Theme | undefined {
  return text === "light" || text === "dark" ? text : undefined;
}
