import type { RequestHandler } from "express";
import helmet from "helmet";

/**
 * Headers of the panel's pages: they may load, and speak with, what comes from this server only, and nothing in their
 * text is run. Pictures may come from the map's tile server too.
 */
export function panelHeaders(tiles: string | undefined): RequestHandler {
  const self = ["'self'"];
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: self,
        styleSrc: self,
        imgSrc: [...self, "data:", ...(tiles === undefined ? [] : [originOf(tiles)])],
        connectSrc: self,
        workerSrc: self,
        baseUri: ["'none'"],
        formAction: ["'none'"],
        frameAncestors: ["'none'"],
      },
    },
    referrerPolicy: { policy: "no-referrer" },
    strictTransportSecurity: false,
    xPoweredBy: false,
  });
}

/** The tile server, as a policy names it: a subdomain that is chosen in the browser stands for any. */
function originOf(tiles: string): string {
  return tiles.replace(/^(https?:\/\/)\{s\}(\.[^/]+).*$/, "$1*$2").replace(/^(https?:\/\/[^/]+).*$/, "$1");
}
