import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import express, { type RequestHandler, Router } from "express";
import { SealbookError } from "../errors.ts";
import { fillPage, type PageSettings } from "./page.ts";

/** Where `npm run panel` puts what it builds. */
export const BUILT_PANEL = join(import.meta.dirname, "../../panel/dist");

/** A name that carries a digest never stands for anything else. */
const KEPT = { immutable: true, maxAge: "1y", index: false, redirect: false } as const;

/**
 * Gives the panel at `/` and the explorer's page at `/explorer` and whatever is below it, except `/explorer/api`.
 * Files whose name carries a digest of what is in them are kept by browsers for ever; the pages are asked for anew.
 * @param headers Sets those of the pages
 */
export function panelRouter(settings: PageSettings, headers: RequestHandler, directory = BUILT_PANEL): Router {
  const router = Router({ strict: true });
  router.get("/", headers, page(join(directory, "index.html"), settings));
  router.get(/^\/explorer(?!\/api(?:\/|$))(?:\/.*)?$/, headers, page(join(directory, "explorer.html"), settings));
  router.use("/assets", compressed(join(directory, "assets")), express.static(join(directory, "assets"), KEPT));
  router.get("/seal.svg", (_request, response) => response.sendFile("seal.svg", { root: directory, maxAge: "1d" }));
  return router;
}

/** Gives what the build has compressed to browsers that take it. */
function compressed(root: string): RequestHandler {
  return (request, response, next) => {
    const name = /^\/([\w.-]+\.(?:js|css|svg|json))$/.exec(request.path)?.[1];
    response.vary("Accept-Encoding");
    if (name === undefined || request.acceptsEncodings("gzip") === false) return next();
    // The type is that of what comes out of it.
    response.type(extname(name)).set("Content-Encoding", "gzip");
    response.sendFile(`${name}.gz`, { root, ...KEPT }, (error: unknown) => {
      if (error === undefined || response.headersSent) return;
      for (const header of ["Content-Encoding", "Content-Type", "Cache-Control"]) response.removeHeader(header);
      next();
    });
  };
}

// Read for every request: it is small, and a panel that is built again is there at once.
function page(file: string, settings: PageSettings): RequestHandler {
  return async (_request, response) => {
    const html = await readFile(file, "utf8").catch((cause: unknown) => {
      throw new SealbookError("not_found", "the web panel is not built: `npm run panel` builds it", { cause });
    });
    response.set("Cache-Control", "no-store").type("html").send(fillPage(html, settings));
  };
}
