/** What the server's page says about the map. */
export interface MapSettings {
  /** Where tiles come from; `undefined` for the map that the panel brings. */
  readonly tiles: { readonly template: string; readonly attribution: string } | undefined;
  /** Milliseconds after which a value is not current any more. */
  readonly maxAge: number;
}

const DEFAULT_MAX_AGE_SECONDS = 21_600;

/** Reads the page's settings. */
export function mapSettings(): MapSettings {
  const template = said("map-tiles");
  const maxAge = Number(said("reading-max-age"));
  return {
    tiles: template === "" ? undefined : { template, attribution: said("map-attribution") },
    maxAge: (maxAge > 0 ? maxAge : DEFAULT_MAX_AGE_SECONDS) * 1000,
  };
}

/** The content of one of the page's `<meta>` elements; empty while the server has not filled it in. */
function said(name: string): string {
  const content = document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? "";
  return content.startsWith("{{") ? "" : content;
}
