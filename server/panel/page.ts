import { randomBytes } from "node:crypto";
import escapeHtml from "escape-html";
import { panelFragments } from "./fragments.ts";

const FORM_TOKEN_BYTES = 48;

/** What the server tells the browser with the page itself. */
export interface PageSettings {
  readonly version: string;
  /** Where the map's tiles come from, as `https://HOST/{z}/{x}/{y}.png`; without it the map draws its own base. */
  readonly tiles: string | undefined;
}

/** Fills the places of a built page that only the server knows. */
export function fillPage(html: string, { version, tiles }: PageSettings): string {
  const formToken = `0x${randomBytes(FORM_TOKEN_BYTES).toString("hex")}`;
  const values: Readonly<Record<string, string>> = {
    version: escapeHtml(version),
    tiles: escapeHtml(tiles ?? ""),
    login: panelFragments(version).login({ formToken }),
  };
  return html.replace(/\{\{(\w+)\}\}/g, (place, name: string) => values[name] ?? place);
}
