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
