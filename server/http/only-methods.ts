import type { RequestHandler } from "express";
import { SealbookError } from "../errors.ts";

/** Rejects other methods with 405 and lists the supported ones in `Allow`. */
export function onlyMethods(...methods: readonly string[]): RequestHandler {
  return (_request, response) => {
    response.set("Allow", methods.join(", "));
    throw new SealbookError("method_not_allowed", `this path supports ${methods.join(" and ")} only`);
  };
}
