import { randomBytes } from "node:crypto";
import escapeHtml from "escape-html";
import { panelFragments } from "./fragments.ts";

const FORM_TOKEN_BYTES = 48;

/** What the server tells the browser with the page itself. */
export interface PageSettings {
  readonly version: string;
  readonly map: MapSettings;
}

/** What the air-quality map is told. */
export interface MapSettings {
  /** Where tiles come from, as `https://HOST/{z}/{x}/{y}.png`, and whose they are; without them the map draws its own base. */
  readonly tiles: { readonly template: string; readonly attribution: string } | undefined;
  /** How long a value counts as current. */
  readonly readingMaxAgeMilliseconds: number;
}

/** Fills the places of a built page that only the server knows. */
export function fillPage(html: string, { version, map: { tiles, readingMaxAgeMilliseconds } }: PageSettings): string {
  const formToken = `0x${randomBytes(FORM_TOKEN_BYTES).toString("hex")}`;
  const values: Readonly<Record<string, string>> = {
    version: escapeHtml(version),
    tiles: escapeHtml(tiles?.template ?? ""),
    attribution: escapeHtml(tiles?.attribution ?? ""),
    readingMaxAge: String(readingMaxAgeMilliseconds / 1000),
    login: panelFragments(version).login({ formToken }),
  };
  return html.replace(/\{\{(\w+)\}\}/g, (place, name: string) => values[name] ?? place);
}
