import type { RequestHandler } from "express";
import helmet from "helmet";

/** Headers of data: a browser must not load resources for them, frame them, or guess another media type. */
const DATA_HEADERS = {
  "Content-Security-Policy": "default-src 'none';frame-ancestors 'none'",
  "Cross-Origin-Resource-Policy": "same-origin",
  "X-Content-Type-Options": "nosniff",
};

/** Sets the security headers of data responses. Headers that concern documents only are omitted. */
export function dataHeaders(): RequestHandler {
  return (request, response, next) => {
    response.set(DATA_HEADERS);
    // Over plain HTTP the header means nothing, and a proxy that adds TLS sends its own.
    if (request.secure) response.set("Strict-Transport-Security", "max-age=31536000");
    next();
  };
}

/**
 * Sets the security headers of pages: a page may load from and connect to this server only, and inline scripts do not
 * run.
 * @param pictures Additional sources of images, in the syntax of the policy
 */
export function pageHeaders(pictures: readonly string[] = []): RequestHandler {
  const self = ["'self'"];
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: self,
        styleSrc: self,
        // Style sheets contain their icons as data URLs.
        imgSrc: [...self, "data:", ...pictures],
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

/** Converts a tile template to a source for the content security policy. A subdomain placeholder becomes a wildcard. */
export function tileSource(template: string): string {
  return template.replace(/^(https?:\/\/)\{s\}(\.[^/]+).*$/, "$1*$2").replace(/^(https?:\/\/[^/]+).*$/, "$1");
}
