import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { RequestHandler } from "express";
import type { Logger } from "pino";
import { pinoHttp } from "pino-http";

const HEADER = "X-Request-Id";
const WELL_FORMED = /^[\w.-]{1,64}$/;

/**
 * Logs every request with an id that also travels in the answer. Headers, bodies and query strings are left out:
 * they carry tokens, passwords and documents' names.
 */
export function accessLog(logger: Logger): RequestHandler {
  return pinoHttp({
    logger,
    genReqId(request, response) {
      const given = request.headers[HEADER.toLowerCase()];
      const id = typeof given === "string" && WELL_FORMED.test(given) ? given : randomUUID();
      response.setHeader(HEADER, id);
      return id;
    },
    serializers: {
      req: ({ id, method, url }: IncomingMessage & { id: unknown }) => ({ id, method, path: url?.split("?")[0] }),
      res: ({ statusCode }: { statusCode: number }) => ({ status: statusCode }),
    },
    customLogLevel: (_request, response, error) =>
      error !== undefined || response.statusCode >= 500 ? "warn" : "debug",
    wrapSerializers: false,
  });
}
