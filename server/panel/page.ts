import escapeHtml from "escape-html";

/** Settings that the server writes into the page. */
export interface PageSettings {
  readonly version: string;
  readonly map: MapSettings;
}

/** Settings of the air-quality map. */
export interface MapSettings {
  /** Tile source as `https://HOST/{z}/{x}/{y}.png`, and its attribution. Without tiles, the map draws its own base. */
  readonly tiles: { readonly template: string; readonly attribution: string } | undefined;
  /** Time for which a value counts as current. */
  readonly readingMaxAgeMilliseconds: number;
}

/** Replaces the placeholders of a built page with the server's settings. */
export function fillPage(html: string, { version, map }: PageSettings): string {
  const { tiles, readingMaxAgeMilliseconds } = map;
  const values: Readonly<Record<string, string>> = {
    version: escapeHtml(version),
    tiles: escapeHtml(tiles?.template ?? ""),
    attribution: escapeHtml(tiles?.attribution ?? ""),
    readingMaxAge: String(readingMaxAgeMilliseconds / 1000),
  };
  return html.replace(/\{\{(\w+)\}\}/g, (place, name: string) => values[name] ?? place);
}
