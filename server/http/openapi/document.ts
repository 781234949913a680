import { type Json, JsonSchemas } from "./json-schemas.ts";
import type { OperationResponse, Example, Operation } from "./operation.ts";

const API_KEY = "apiKey";
const TOKEN = "token";
const GUARDS = [{ [API_KEY]: [] }, { [TOKEN]: [] }, {}];

/** A group of operations. */
export interface Tag {
  readonly name: string;
  readonly description: string;
}

/** Generates the OpenAPI 3.1 document of the operations. */
export function openApiDocument(version: string, tags: readonly Tag[], operations: readonly Operation[]): Json {
  const schemas = new JsonSchemas();
  const paths: Record<string, Record<string, Json>> = {};
  for (const operation of operations) (paths[operation.path] ??= {})[operation.method] = describe(operation, schemas);
  return {
    openapi: "3.1.1",
    info: {
      title: "Sealbook",
      version,
      summary: "Proves that a record existed on a given day and has not changed since.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/", description: "The server of this document." }],
    tags,
    paths,
    components: {
      securitySchemes: {
        [API_KEY]: {
          type: "apiKey",
          in: "header",
          name: "X-API-Key",
          description: "An API key, issued with `npm run apikey`, when the server requires one.",
        },
        [TOKEN]: {
          type: "http",
          scheme: "bearer",
          bearerFormat: "JWT",
          description: "A token with the scope `sealbook:read` or `sealbook:write`, when the server requires one.",
        },
      },
      schemas: schemas.components,
    },
  };
}

function describe(operation: Operation, schemas: JsonSchemas): Json {
  const { id, tag, summary, description, isGuarded, body, responses, examples } = operation;
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    security: isGuarded ? GUARDS : [],
    parameters: parametersOf(operation, schemas),
    ...(body === undefined ? {} : { requestBody: { required: true, content: bodyOf(body, examples, schemas) } }),
    responses: Object.fromEntries(
      responses.map((response) => [String(response.status), responseOf(response, examples, schemas)]),
    ),
  };
}

function parametersOf({ parameters = {}, examples }: Operation, schemas: JsonSchemas): Json[] {
  return (["path", "query", "header"] as const).flatMap((location) => {
    const fields = parameters[location];
    return (fields === undefined ? [] : schemas.fieldsOf(fields)).map(({ name, isRequired, schema }) => {
      const { description, ...rest } = schema;
      const values = examples.flatMap((example) => {
        const value = location === "header" ? undefined : example[location]?.[name];
        return value === undefined ? [] : [{ ...example, value }];
      });
      return {
        name,
        in: location,
        required: isRequired,
        ...(description === undefined ? {} : { description }),
        schema: rest,
        ...named(values),
      };
    });
  });
}

function bodyOf(body: NonNullable<Operation["body"]>, examples: readonly Example[], schemas: JsonSchemas): Json {
  return Object.fromEntries(
    Object.entries(body).map(([type, schema]) => {
      const values = examples.flatMap((example) =>
        example.body?.type === type ? [{ ...example, value: example.body.value }] : [],
      );
      return [type, { schema: schemas.ofBody(schema), ...named(values) }];
    }),
  );
}

function responseOf(
  { status, description, content, headers = {} }: OperationResponse,
  examples: readonly Example[],
  schemas: JsonSchemas,
): Json {
  const described = Object.entries(headers).map(([name, meaning]) => [
    name,
    { description: meaning, schema: { type: "string" } },
  ]);
  return {
    description,
    ...(described.length === 0 ? {} : { headers: Object.fromEntries(described) }),
    content: Object.fromEntries(
      Object.entries(content).map(([type, schema]) => {
        const values = examples.flatMap((example) =>
          example.response.status === status && example.response.type === type
            ? [{ ...example, value: example.response.value }]
            : [],
        );
        return [type, { schema: schemas.of(schema), ...named(values) }];
      }),
    ),
  };
}

/** Collects examples by name. The examples of a request and its response have the same name. */
function named(
  examples: readonly { readonly name: string; readonly summary: string; readonly value: unknown }[],
): Json {
  if (examples.length === 0) return {};
  return { examples: Object.fromEntries(examples.map(({ name, summary, value }) => [name, { summary, value }])) };
}
