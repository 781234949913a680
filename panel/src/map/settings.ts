/** Map settings in the server's page. */
export interface MapSettings {
  /** Source of the tiles; `undefined` for the built-in map. */
  readonly tiles: { readonly template: string; readonly attribution: string } | undefined;
  /** Milliseconds after which a value is stale. */
  readonly maxAge: number;
}

/** Reads the page's settings. */
export function mapSettings(): MapSettings {
  const template = metaContent("map-tiles");
  return {
    tiles: template === "" ? undefined : { template, attribution: metaContent("map-attribution") },
    maxAge: Number(metaContent("reading-max-age")) * 1000,
  };
}

/** Returns the content of a `<meta>` element, which the server has filled in. */
function metaContent(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? "";
}
