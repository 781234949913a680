import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import { type RequestHandler, Router } from "express";
import * as z from "zod";
import { SealbookError } from "../../errors.ts";
import { libraryFile, ROOT } from "../../kit/program-files.ts";
import type { Examples, Tag } from "./document.ts";
import { addRoutes, onlyMethods, serveRaw } from "../serve.ts";
import { defineRoute, type Route } from "../route.ts";
import { pageHeaders } from "../security-headers.ts";

const MAX_AGE_SECONDS = 300;
const PAGE = join(ROOT, "server/http/openapi/page");
/** The files of the library that the page loads. */
const FILES = ["swagger-ui.css", "swagger-ui-bundle.js", "favicon-32x32.png"] as const;

export const openApi = defineRoute({
  id: "document",
  method: "get",
  path: "/openapi.json",
  tag: "Operation",
  summary: "OpenAPI document",
  description: "Returns this document.",
  isPublic: true,
  media: {
    "application/json": z
      .looseObject({
        openapi: z.string().regex(/^3\.1\.\d+$/),
        info: z.looseObject({ title: z.string(), version: z.string() }),
        paths: z.record(z.string(), z.unknown()),
      })
      .meta({ id: "OpenApi", description: "An OpenAPI document." }),
  },
  statuses: {
    200: { description: "An OpenAPI document.", headers: { ETag: "Identifies the version of the document." } },
  },
});

/** Serves the OpenAPI document and its page. */
export function openApiRouter(version: string, content: () => Promise<OpenApiContent>): Router {
  const router = Router({ strict: true });
  let document: Promise<Document> | undefined;

  const send = serveRaw(openApi)(async (_input, _request, response) => {
    document ??= makeDocument(version, content);
    const { text, etag } = await document;
    response
      .set({ ETag: etag, "Cache-Control": `public, max-age=${MAX_AGE_SECONDS}` })
      .type("json")
      .send(text);
  });
  addRoutes(router, [send]);

  // The relative paths of the page's files need the trailing slash.
  router
    .route("/docs")
    .get((_request, response) => response.redirect(301, "/docs/"))
    .all(onlyMethods("GET"));
  router.route("/docs/").get(pageHeaders(), file(PAGE, "index.html")).all(onlyMethods("GET"));
  router.route("/docs/initializer.js").get(file(PAGE, "initializer.js")).all(onlyMethods("GET"));
  for (const name of FILES) {
    const root = dirname(libraryFile(`swagger-ui-dist/${name}`));
    router.route(`/docs/${name}`).get(file(root, name)).all(onlyMethods("GET"));
  }
  return router;
}

/** Content of the document. */
export interface OpenApiContent {
  readonly TAGS: readonly Tag[];
  readonly ROUTES: readonly Route[];
  readonly EXAMPLES: Examples;
}

interface Document {
  readonly text: string;
  readonly etag: string;
}

/** Generates the document with the first request: it would slow down every start. */
async function makeDocument(version: string, content: () => Promise<OpenApiContent>): Promise<Document> {
  const { openApiDocument } = await import("./document.ts");
  const { TAGS, ROUTES, EXAMPLES } = await content();
  const text = JSON.stringify(openApiDocument(version, TAGS, ROUTES, EXAMPLES));
  return { text, etag: `"${createHash("sha256").update(text).digest("base64url")}"` };
}

/** Serves one file. */
function file(root: string, name: string): RequestHandler {
  return (_request, response, next) => {
    response.sendFile(name, { root, maxAge: MAX_AGE_SECONDS * 1000 }, (error: unknown) => {
      if (error !== undefined && !response.headersSent)
        next(new SealbookError("internal", "cannot read a file of the documentation page", { cause: error }));
    });
  };
}
