import { render, type VNode } from "preact";
import { copyTimesAsIso } from "./format/moment.tsx";
import { showHiddenCharacters } from "./hidden-characters.ts";
import "./styles/styles.ts";
import { startTexts } from "./texts/texts.ts";
import { startTheme } from "./theme/theme.ts";

/** Shows a page, in the reader's language and theme. */
export async function start(page: VNode): Promise<void> {
  showHiddenCharacters();
  copyTimesAsIso();
  startTheme();
  await startTexts();
  const container = document.getElementById("app");
  if (container !== null) render(page, container);
}
