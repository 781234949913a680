/** Map settings in the server's page. */
export interface MapSettings {
  /** Where tiles come from; `undefined` for the map that the panel brings. */
  readonly tiles: { readonly template: string; readonly attribution: string } | undefined;
  /** Milliseconds after which a value is not current any more. */
  readonly maxAge: number;
}

/** Reads the page's settings. */
export function mapSettings(): MapSettings {
  const template = said("map-tiles");
  return {
    tiles: template === "" ? undefined : { template, attribution: said("map-attribution") },
    maxAge: Number(said("reading-max-age")) * 1000,
  };
}

/** The content of one of the page's `<meta>` elements, which the server has filled in. */
function said(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? "";
}
