import type { RequestHandler } from "express";
import helmet from "helmet";

/**
 * Headers for answers that are data: a browser may load nothing on their account, frame them nowhere, and take them
 * for nothing but what they say they are. What speaks of documents only is left out: every answer carries these.
 */
export function dataHeaders(): RequestHandler {
  return helmet({
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
  });
}

/**
 * Headers for a page of ours: it may load, and speak with, what comes from this server only, and nothing in its text is
 * run.
 * @param pictures Sources, as a policy names them, from which pictures may come as well
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
        // Style sheets have their icons in them.
        imgSrc: [...self, "data:", ...pictures],
        connectSrc: self,
        workerSrc: self,
        baseUri: ["'none'"],
        formAction: ["'none'"],
        frameAncestors: ["'none'"],
      },
    },
    referrerPolicy: { policy: "no-referrer" },
    xPoweredBy: false,
  });
}
