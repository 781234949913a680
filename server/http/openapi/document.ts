import {
  createDocument,
  type oas32,
  type ZodOpenApiContentObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiOverride,
} from "zod-openapi";
import { PROBLEM_TYPE } from "../problem.ts";
import { IdempotencyHeader } from "../idempotency-key.ts";
import { NDJSON } from "../ndjson.ts";
import { Problem } from "../responses.ts";
import type { ErrorStatus, Meaning, Route } from "../route.ts";

const JSON_TYPE = "application/json";
const API_KEY = "apiKey";
const TOKEN = "token";
const GUARDS = [{ [API_KEY]: [] }, { [TOKEN]: [] }, {}];

/** A group of operations. */
export interface Tag {
  readonly name: string;
  readonly description: string;
}

/** A request and its response, which a test recorded. */
export interface Example {
  /** Unique within its operation. */
  readonly name: string;
  readonly summary: string;
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number>>;
  /** A string is the body itself; other values are sent as JSON. */
  readonly body?: { readonly type: string; readonly value: unknown };
  readonly response: { readonly status: number; readonly type: string; readonly value: unknown };
  /** The response was shortened by hand, and is not recorded again. */
  readonly edited?: boolean;
}

/** Examples by the id of their operation. */
export type Examples = Readonly<Record<string, readonly Example[]>>;

const RETRY = { "Retry-After": "Seconds until the next attempt." };
const ERRORS: Readonly<Record<ErrorStatus, Meaning>> = {
  400: { description: "The request is not valid." },
  401: { description: "A valid API key or token is required." },
  403: { description: "The source network or the scope of the credentials does not permit the request." },
  404: { description: "The resource does not exist." },
  405: { description: "The path does not support this method.", headers: { Allow: "The supported methods." } },
  406: { description: "None of the accepted media types is available." },
  409: { description: "The chain does not confirm the resource, or not yet." },
  413: { description: "The request body is too large." },
  415: { description: "The media type of the request body is not supported." },
  422: { description: "The `Idempotency-Key` was used for another request within 24 hours." },
  429: { description: "Too many requests from this network address or caller.", headers: RETRY },
  503: { description: "The service is temporarily unavailable; retry later.", headers: RETRY },
};

/** Generates the OpenAPI document of the routes. */
export function openApiDocument(
  version: string,
  tags: readonly Tag[],
  routes: readonly Route[],
  examples: Examples,
): object {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const route of routes) (paths[route.path] ??= {})[route.method] = operationOf(route, examples[route.id] ?? []);
  const document = createDocument(
    {
      openapi: "3.1.1",
      info: {
        title: "Sealbook",
        version,
        summary: "Proves that a record existed on a given day and has not changed since.",
        license: { name: "MIT", identifier: "MIT" },
      },
      servers: [{ url: "/", description: "The server of this document." }],
      tags: tags.map((tag) => ({ ...tag })),
      paths,
      components: {
        securitySchemes: {
          [API_KEY]: {
            type: "apiKey",
            in: "header",
            name: "X-API-Key",
            description: "An API key, issued with `npx sealbook apikey`, when the server requires one.",
          },
          [TOKEN]: {
            type: "http",
            scheme: "bearer",
            bearerFormat: "JWT",
            description: "A token with the scope `sealbook:read` or `sealbook:write`, when the server requires one.",
          },
        },
      },
    },
    { override: simplify },
  );
  for (const { id, path, method } of routes) {
    const { parameters = [] } = document.paths?.[path]?.[method] ?? {};
    for (const parameter of parameters) if ("in" in parameter) complete(parameter, examples[id] ?? []);
  }
  return JSON.parse(JSON.stringify(document), describeLines) as object;
}

/** Describes schemas in the terms that generators of clients know. */
const simplify: ZodOpenApiOverride = ({ jsonSchema }) => {
  // Responses can get further fields.
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  const { prefixItems, default: usual, description } = jsonSchema;
  // Some generators demand a field that has a default.
  if (usual !== undefined) {
    delete jsonSchema.default;
    const text = `Default: ${JSON.stringify(usual)}.`;
    if (typeof usual !== "object") jsonSchema.description = description === undefined ? text : `${description} ${text}`;
  }
  // Some generators write the constant as a text. Other fields tell the alternatives apart.
  if (typeof jsonSchema.const === "boolean") delete jsonSchema.const;
  // The format says it; the pattern breaks types of UUIDs.
  if (jsonSchema.format === "uuid") delete jsonSchema.pattern;
  // A tuple is a list of so many texts.
  if (Array.isArray(prefixItems)) {
    delete jsonSchema["prefixItems"];
    Object.assign(jsonSchema, {
      items: { type: "string" },
      minItems: prefixItems.length,
      maxItems: prefixItems.length,
    });
  }
};

/** Moves the description of a parameter from its schema, and adds examples: routes share the schemas. */
function complete(parameter: oas32.ParameterObject, examples: readonly Example[]): void {
  const { in: location, name, schema } = parameter;
  if (typeof schema === "object" && typeof schema.description === "string") {
    parameter.description = schema.description;
    delete schema.description;
  }
  const values = examples.flatMap((example) => {
    const value = location === "path" || location === "query" ? example[location]?.[name] : undefined;
    return value === undefined ? [] : [{ ...example, value }];
  });
  Object.assign(parameter, named(values));
}

/** Describes NDJSON as a text: `itemSchema`, by which the library generates the schema of a line, is of OpenAPI 3.2. */
function describeLines(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("itemSchema" in value)) return value;
  const { itemSchema: contentSchema, ...media } = value;
  return {
    schema: { type: "string", description: "One value per line.", contentMediaType: NDJSON, contentSchema },
    ...media,
  };
}

function operationOf(route: Route, examples: readonly Example[]): ZodOpenApiOperationObject {
  const { id, tag, summary, description, isPublic, params, query, isKeyed, body, bodyLine } = route;
  const sent = (type: string) =>
    named(
      examples.flatMap((example) => (example.body?.type === type ? [{ ...example, value: example.body.value }] : [])),
    );
  const content = body && {
    [JSON_TYPE]: { schema: body, ...sent(JSON_TYPE) },
    ...(bodyLine === undefined ? {} : { [NDJSON]: { itemSchema: bodyLine, ...sent(NDJSON) } }),
  };
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    security: isPublic ? [] : GUARDS,
    requestParams: {
      ...(params === undefined ? {} : { path: params }),
      ...(query === undefined ? {} : { query }),
      ...(isKeyed ? { header: IdempotencyHeader } : {}),
    },
    ...(content === undefined ? {} : { requestBody: { required: true, content } }),
    responses: Object.fromEntries(
      responsesOf(route).map(({ status, meaning: { description, headers = {} }, content }) => [
        String(status),
        {
          description,
          ...(Object.keys(headers).length === 0 ? {} : { headers: headersOf(headers) }),
          content: Object.fromEntries(
            Object.entries(content).map(([type, media]) => {
              const values = examples
                .filter(({ response }) => response.status === status && response.type === type)
                .map((example) => ({ ...example, value: example.response.value }));
              return [type, { ...media, ...named(values) }];
            }),
          ),
        },
      ]),
    ),
  };
}

/** The responses of a route: the successful ones, the errors that follow from its input, and its own. */
function responsesOf(route: Route): { status: number; meaning: Meaning; content: ZodOpenApiContentObject }[] {
  const { result, resultLine, media = {}, statuses, failure, errors = [] } = route;
  const { isPublic, params, query, isKeyed, body } = route;
  const content = {
    ...(result === undefined ? {} : { [JSON_TYPE]: { schema: result } }),
    ...(resultLine === undefined ? {} : { [NDJSON]: { itemSchema: resultLine } }),
    ...Object.fromEntries(Object.entries(media).map(([type, schema]) => [type, { schema }])),
  };
  const failed =
    failure === undefined ? { [PROBLEM_TYPE]: { schema: Problem } } : { [JSON_TYPE]: { schema: failure.schema } };
  const failures = new Set<ErrorStatus>([...errors, 405, 429]);
  if ([params, query, isKeyed, body].some((input) => input !== undefined)) failures.add(400);
  if (body !== undefined) failures.add(413);
  if (body !== undefined) failures.add(415);
  if (isKeyed) failures.add(422);
  if (!isPublic) failures.add(401).add(403).add(503);
  return [
    ...Object.entries(statuses).map(([status, success]) => ({
      status: Number(status),
      meaning: typeof success === "string" ? { description: success } : success,
      content,
    })),
    ...[...failures]
      .toSorted((a, b) => a - b)
      .map((status) => ({
        status,
        meaning: { ...ERRORS[status], description: failure?.descriptions[status] ?? ERRORS[status].description },
        content: failed,
      })),
  ];
}

function headersOf(headers: Readonly<Record<string, string>>) {
  return Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [name, { description, schema: { type: "string" as const } }]),
  );
}

/** Collects examples by name. The examples of a request and its response have the same name. */
function named(examples: readonly { readonly name: string; readonly summary: string; readonly value: unknown }[]) {
  if (examples.length === 0) return {};
  return { examples: Object.fromEntries(examples.map(({ name, summary, value }) => [name, { summary, value }])) };
}
