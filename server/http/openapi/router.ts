import { createHash } from "node:crypto";
import { Router } from "express";
import * as z from "zod";
import type { Examples, Tag } from "./document.ts";
import { addRoutes, serveRaw } from "../serve.ts";
import { defineRoute, type Route } from "../route.ts";

const MAX_AGE_SECONDS = 300;

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

/** Serves the OpenAPI document. */
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
