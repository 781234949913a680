import * as z from "zod";
import { openApiDocument } from "../../server/http/openapi/document.ts";
import { EXAMPLES, ROUTES, TAGS } from "../../server/composition/openapi.ts";
import type { ParsedJson } from "./parsed-json.ts";

/** An example of a request and its response. */
export interface DocumentedExample {
  readonly name: string;
  readonly query: Readonly<Record<string, unknown>>;
  readonly path: Readonly<Record<string, string>>;
  readonly body: { readonly type: string; readonly value: unknown } | undefined;
  readonly response: { readonly status: number; readonly type: string; readonly value: unknown };
}

/** An operation as the document describes it. */
export interface DocumentedOperation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly described: ParsedJson;
  readonly examples: readonly DocumentedExample[];
}

/** An OpenAPI document, parsed from its text. */
export class OpenApi {
  readonly document: ParsedJson;
  readonly #validators = new Map<object, z.ZodType>();

  constructor(text: string) {
    this.document = JSON.parse(text);
  }

  get operations(): DocumentedOperation[] {
    return Object.entries<ParsedJson>(this.document.paths).flatMap(([path, methods]) =>
      Object.entries<ParsedJson>(methods).map(([method, described]) => ({
        id: described.operationId,
        method: method.toUpperCase(),
        path,
        described,
        examples: examplesOf(described),
      })),
    );
  }

  /** Returns the operation of a request; paths without parameters match first, as in the server. */
  operationOf(method: string, url: string): DocumentedOperation | undefined {
    const path = url.split("?")[0] ?? "";
    const matching = this.operations.filter((operation) => {
      const pattern = operation.path.replaceAll(/\{\w+\}/g, "[^/]+");
      return operation.method === method && new RegExp(`^${pattern}$`).test(path);
    });
    return matching.toSorted(
      (a, b) => Number(a.path.includes("{")) - Number(b.path.includes("{")) || b.path.length - a.path.length,
    )[0];
  }

  /** Returns the violation of the document by a response; `undefined` without one. */
  faultOf(operation: DocumentedOperation, status: number, contentType: string, text: string): string | undefined {
    const response = operation.described.responses[status];
    if (response === undefined) return `status ${status} is not described`;
    const type = contentType.split(";")[0] ?? "";
    const content = response.content[type];
    if (content === undefined) return `media type ${type} is not described`;
    if (content.schema.contentSchema !== undefined) {
      const faults = text
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => this.#fault(content.schema.contentSchema, JSON.parse(line)));
      return faults.find((fault) => fault !== undefined);
    }
    return this.#fault(content.schema, type.endsWith("json") ? JSON.parse(text) : text);
  }

  /** Returns the violation of the document by a body, or a line of one; `undefined` without one. */
  faultOfBody(operation: DocumentedOperation, type: string, value: unknown): string | undefined {
    const content = operation.described.requestBody?.content[type];
    return content === undefined
      ? `media type ${type} is not described`
      : this.#fault(content.schema.contentSchema ?? content.schema, value);
  }

  /** Returns a schema without references, in which objects allow no additional fields. */
  closed(schema: ParsedJson): ParsedJson {
    if (Array.isArray(schema)) return schema.map((item) => this.closed(item));
    if (typeof schema !== "object" || schema === null) return schema;
    if (typeof schema.$ref === "string")
      return this.closed(this.document.components.schemas[schema.$ref.split("/").at(-1) ?? ""]);
    const supported = Object.entries(schema).filter(([key, value]) => !isUnsupported(key, value));
    const copy = Object.fromEntries(supported.map(([key, value]) => [key, this.closed(value)]));
    return copy["properties"] === undefined || "additionalProperties" in copy
      ? copy
      : { ...copy, additionalProperties: false };
  }

  #fault(schema: ParsedJson, value: unknown): string | undefined {
    let validator = this.#validators.get(schema);
    if (validator === undefined) this.#validators.set(schema, (validator = z.fromJSONSchema(this.closed(schema))));
    const parsed = validator.safeParse(value);
    return parsed.success ? undefined : z.prettifyError(parsed.error);
  }
}

/** Whether zod cannot convert a condition on which fields an object has. */
function isUnsupported(key: string, value: ParsedJson): boolean {
  const alternatives: ParsedJson[] = key === "anyOf" || key === "oneOf" ? value : [];
  return alternatives.some((one) => Object.keys(one).join() === "required");
}

/** Returns the document as a server serves it. */
export function openApiText(): string {
  return JSON.stringify(openApiDocument("0.0.0", TAGS, ROUTES, EXAMPLES));
}

/** Returns the examples in the order of the requests: an example can depend on the effect of the previous one. */
function examplesOf({ parameters = [], requestBody, responses }: ParsedJson): DocumentedExample[] {
  const order = Object.values<ParsedJson>(requestBody?.content ?? {}).flatMap(({ examples = {} }) =>
    Object.keys(examples),
  );
  const examples = Object.entries<ParsedJson>(responses).flatMap(([status, response]) =>
    Object.entries<ParsedJson>(response.content).flatMap(([type, content]) =>
      Object.entries<ParsedJson>(content.examples ?? {}).map(([name, example]) => {
        const of = (location: string) =>
          Object.fromEntries(
            parameters.flatMap((parameter: ParsedJson) =>
              parameter.in === location && parameter.examples?.[name] !== undefined
                ? [[parameter.name, parameter.examples[name].value]]
                : [],
            ),
          );
        const [bodyType, body] =
          Object.entries<ParsedJson>(requestBody?.content ?? {}).find(
            ([, { examples }]) => examples?.[name] !== undefined,
          ) ?? [];
        return {
          name,
          path: of("path"),
          query: of("query"),
          body: bodyType === undefined ? undefined : { type: bodyType, value: body.examples[name].value },
          response: { status: Number(status), type, value: example.value },
        };
      }),
    ),
  );
  return examples.toSorted((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
}
