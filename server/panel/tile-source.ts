/** Converts a tile template to a source for the content security policy. A subdomain placeholder becomes a wildcard. */
export function tileSource(template: string): string {
  return template.replace(/^(https?:\/\/)\{s\}(\.[^/]+).*$/, "$1*$2").replace(/^(https?:\/\/[^/]+).*$/, "$1");
}
