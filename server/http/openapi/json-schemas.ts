import { z } from "zod";

/** A JSON Schema, or a part of the document. */
export type Json = Readonly<Record<string, unknown>>;

const PLACE = "#/components/schemas/";

/** What a line of a text is, of a schema of many lines. */
const LINES = new WeakMap<z.ZodType, z.ZodType>();

/** Many JSON texts, one a line: {@link JsonSchemas} says of it what each of them is. */
export function linesOf(line: z.ZodType, mediaType: string, description: string): z.ZodType {
  const lines = z.string().meta({ description, contentMediaType: mediaType });
  LINES.set(lines, line);
  return lines;
}

/** Makes JSON Schemas of the schemas that requests are parsed with; those with an id become components. */
export class JsonSchemas {
  readonly #components = new Map<string, unknown>();

  /** The schemas that others refer to, by their ids. */
  get components(): Json {
    return Object.fromEntries([...this.#components].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** What can be sent; of a schema with an id only a reference. */
  of(schema: z.ZodType): Json {
    // Only what stands in another schema is referred to.
    const { properties = {} } = this.#make(z.object({ it: schema.optional() }));
    const [made] = Object.values(properties);
    const line = LINES.get(schema);
    return {
      ...(typeof made === "object" ? made : {}),
      ...(line === undefined ? {} : { contentSchema: this.of(line) }),
    };
  }

  /** An object's fields, and which of them have to be there. */
  fieldsOf(schema: z.ZodObject): { name: string; isRequired: boolean; schema: Json }[] {
    // A copy: what has an id would be referred to.
    const { properties = {}, required = [] } = this.#make(z.object(schema.shape));
    return Object.entries(properties).map(([name, made]) => ({
      name,
      isRequired: required.includes(name),
      schema: typeof made === "object" ? { ...made } : {},
    }));
  }

  #make(schema: z.ZodType): z.core.JSONSchema.JSONSchema {
    const made = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
    const { $defs = {}, ...rest } = JSON.parse(
      JSON.stringify(made).replaceAll('"#/$defs/', `"${PLACE}`),
    ) as typeof made;
    for (const [id, component] of Object.entries($defs)) this.#components.set(id, component);
    return rest;
  }
}
