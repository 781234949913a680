import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import type { RequestHandler } from "express";
import helmet from "helmet";

/**
 * Sets the security headers of data responses: a browser must not load resources for them, frame them, or guess another
 * media type. Headers that concern documents only are omitted, because every response has these.
 */
export function dataHeaders(): RequestHandler {
  const overTls = headersOf(helmet.strictTransportSecurity({ includeSubDomains: false }));
  const options = {
    strictTransportSecurity: false,
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    crossOriginOpenerPolicy: false,
    originAgentCluster: false,
    referrerPolicy: false,
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xFrameOptions: false,
    xPermittedCrossDomainPolicies: false,
    xPoweredBy: false,
    xXssProtection: false,
  };
  const always = headersOf(helmet(options));
  return (request, response, next) => {
    for (const [name, value] of always) response.setHeader(name, value);
    // Over plain HTTP the header means nothing, and a proxy that adds TLS sends its own.
    if (request.secure) for (const [name, value] of overTls) response.setHeader(name, value);
    next();
  };
}

/** Returns the headers that a middleware sets: they are the same for each response. */
function headersOf(middleware: ReturnType<typeof helmet>): [name: string, value: string][] {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  middleware(request, response, () => undefined);
  return Object.entries(response.getHeaders()).map(([name, value]) => [name, String(value)]);
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
