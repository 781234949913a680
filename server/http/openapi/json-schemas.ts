import { z } from "zod";
import { FIELD_NAMES, JsonValue } from "../json-body.ts";

/** A JSON Schema, or a part of the document. */
export type Json = Readonly<Record<string, unknown>>;

type Override = NonNullable<z.core.ToJSONSchemaParams["override"]>;

const PREFIX = "#/components/schemas/";

/** The schema of a line, by the schema of the NDJSON text. */
const LINES = new WeakMap<z.ZodType, z.ZodType>();

/** Returns the schema of an NDJSON text, whose lines {@link JsonSchemas} describes as `contentSchema`. */
export function linesOf(line: z.ZodType, mediaType: string, description: string): z.ZodType {
  const lines = z.string().meta({ description, contentMediaType: mediaType });
  LINES.set(lines, line);
  return lines;
}

/** Converts zod schemas to JSON Schemas; schemas with an id become components. */
export class JsonSchemas {
  readonly #components = new Map<string, unknown>();

  constructor() {
    this.of(JsonValue);
  }

  /** The components by their ids. */
  get components(): Json {
    return Object.fromEntries([...this.#components].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Converts a schema; a schema with an id becomes a reference. */
  of(schema: z.ZodType, override?: Override): Json {
    // zod generates references for nested schemas only.
    const { properties = {} } = this.#make(z.object({ it: schema.optional() }), override);
    const [made] = Object.values(properties);
    const line = LINES.get(schema);
    return {
      ...(typeof made === "object" ? made : {}),
      ...(line === undefined ? {} : { contentSchema: this.of(line, override) }),
    };
  }

  /** Converts the schema of a request's body, where unknown fields can have any value that the body parser accepts. */
  ofBody(schema: z.ZodType): Json {
    return this.of(schema, ({ jsonSchema }) => {
      const { type, additionalProperties } = jsonSchema;
      const isOpen = additionalProperties === undefined || Object.keys(Object(additionalProperties)).length === 0;
      if (type !== "object" || !isOpen) return;
      jsonSchema.additionalProperties = { $ref: `${PREFIX}JsonValue` };
      jsonSchema.propertyNames = FIELD_NAMES;
    });
  }

  /** Returns the fields of an object and whether they are required. */
  fieldsOf(schema: z.ZodObject): { name: string; isRequired: boolean; schema: Json }[] {
    // A copy without the id, which would become a reference.
    const { properties = {}, required = [] } = this.#make(z.object(schema.shape));
    return Object.entries(properties).map(([name, made]) => ({
      name,
      isRequired: required.includes(name),
      schema: typeof made === "object" ? { ...made } : {},
    }));
  }

  #make(schema: z.ZodType, override?: Override): z.core.JSONSchema.JSONSchema {
    const made = z.toJSONSchema(schema, {
      io: "input",
      unrepresentable: "any",
      ...(override === undefined ? {} : { override }),
    });
    const { $defs = {}, ...rest } = JSON.parse(
      JSON.stringify(made).replaceAll('"#/$defs/', `"${PREFIX}`),
    ) as typeof made;
    for (const [id, component] of Object.entries($defs)) this.#components.set(id, component);
    return rest;
  }
}
