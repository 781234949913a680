/** A map's tile server as a content policy names it: a subdomain that is chosen in the browser stands for any. */
export function tileSource(template: string): string {
  return template.replace(/^(https?:\/\/)\{s\}(\.[^/]+).*$/, "$1*$2").replace(/^(https?:\/\/[^/]+).*$/, "$1");
}
