import type { RequestHandler } from "express";
import { SealbookError } from "../errors.ts";

/** Refuses whatever a path was not made for, and says what it was made for. */
export function onlyMethods(...methods: readonly string[]): RequestHandler {
  return (_request, response) => {
    response.set("Allow", methods.join(", "));
    throw new SealbookError("method_not_allowed", `this path answers ${methods.join(" and ")} only`);
  };
}
