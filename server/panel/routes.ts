import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import express, { type RequestHandler, Router } from "express";
import { SealbookError } from "../errors.ts";
import { ROOT } from "../kit/program-files.ts";
import { fillPage, type PageSettings } from "./page.ts";

/** Output directory of `npm run panel`. */
export const BUILT_PANEL = join(ROOT, "panel/dist");

/** Caching of files whose name contains a digest of their content. */
const KEPT = { immutable: true, maxAge: "1y", index: false, redirect: false } as const;

/** The rest of its policy is in the page, which has to work without a server. */
const OFFLINE_POLICY = "frame-ancestors 'none'";
/** The sections of the panel, and what is in them. */
const SECTIONS =
  /^\/(?:records|proofs|map|verify|docs\/?|(?:decode|proof)(?:\/[^/]*)?|explorer(?!\/api(?:\/|$))(?:\/.*)?)?$/;
/** Every address that is not of data. */
const NO_PAGE = /^\/(?!(?:api|assets|explorer\/api)(?:\/|$))/;
/** Workers that hash files compile WebAssembly; the pages must not. */
const WORKER_POLICY = "default-src 'none';script-src 'wasm-unsafe-eval'";

/**
 * Serves the panel at the addresses of its sections, and where there is no page; at `/verify/offline.html` the page for
 * use without a server. Browsers cache files with a digest in their name forever, and do not cache pages.
 * @param headers Sets the headers of the pages
 */
export function panelRouter(settings: PageSettings, headers: RequestHandler, directory = BUILT_PANEL): Router {
  const router = Router({ strict: true });
  router.get(SECTIONS, headers, page(join(directory, "index.html"), settings));
  router.get("/verify/offline.html", (_request, response) => {
    response.set({ "Content-Security-Policy": OFFLINE_POLICY, "Cache-Control": "no-store" });
    response.sendFile("offline.html", { root: directory, cacheControl: false });
  });
  router.use(
    "/assets",
    workerPolicy,
    compressed(join(directory, "assets")),
    express.static(join(directory, "assets"), KEPT),
  );
  router.get("/seal.svg", (_request, response) => response.sendFile("seal.svg", { root: directory, maxAge: "1d" }));
  router.get(NO_PAGE, forReaders, headers, page(join(directory, "index.html"), settings));
  return router;
}

/** Readers who follow a wrong link get a page that says so; programs get the error. */
const forReaders: RequestHandler = (request, response, next) => {
  response.vary("Accept");
  if (request.accepts(["json", "html"]) !== "html") return next("route");
  response.status(404);
  next();
};

/** Sets the policy of workers: they do not take that of their page. */
const workerPolicy: RequestHandler = (request, response, next) => {
  if (/-worker-[\w-]+\.js$/.test(request.path)) response.set("Content-Security-Policy", WORKER_POLICY);
  next();
};

/** Serves the precompressed files to browsers that accept gzip. */
function compressed(root: string): RequestHandler {
  return (request, response, next) => {
    const name = /^\/([\w.-]+\.(?:js|css|svg|json))$/.exec(request.path)?.[1];
    response.vary("Accept-Encoding");
    if (name === undefined || request.acceptsEncodings("gzip") === false) return next();
    response.type(extname(name)).set("Content-Encoding", "gzip");
    response.sendFile(`${name}.gz`, { root, ...KEPT }, (error: unknown) => {
      if (error === undefined || response.headersSent) return;
      for (const header of ["Content-Encoding", "Content-Type", "Cache-Control"]) response.removeHeader(header);
      next();
    });
  };
}

// Reads the file on every request: it is small, and a rebuilt panel takes effect immediately.
function page(file: string, settings: PageSettings): RequestHandler {
  return async (_request, response) => {
    const html = await readFile(file, "utf8").catch((cause: unknown) => {
      throw new SealbookError("not_found", "the web panel is not built; run `npm run panel`", { cause });
    });
    response.set("Cache-Control", "no-store").type("html").send(fillPage(html, settings));
  };
}
