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

/** Headers for a page of ours: it may load, and speak with, what comes from this server only, and no script in its text. */
export function pageHeaders(): RequestHandler {
  const self = ["'self'"];
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: self,
        styleSrc: self,
        // The style sheet has its icons in it.
        imgSrc: [...self, "data:"],
        connectSrc: self,
        baseUri: ["'none'"],
        formAction: ["'none'"],
        frameAncestors: ["'none'"],
      },
    },
    referrerPolicy: { policy: "no-referrer" },
    xPoweredBy: false,
  });
}
