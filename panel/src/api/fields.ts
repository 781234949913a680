import type { ApiDocument, JsonSchema } from "./document.ts";

/** A field, with the path to it. */
export interface Field {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly about: string;
}

/** Fields below this depth are left out: schemas may contain themselves. */
const DEEPEST = 6;

/** Returns the fields of a schema, those of objects in it after them. */
export function fieldsOf(schema: JsonSchema, document: ApiDocument, prefix = "", depth = 0): readonly Field[] {
  const { properties = {}, required = [], items } = resolved(schema, document);
  if (depth > DEEPEST) return [];
  const inItems = items === undefined ? [] : fieldsOf(items, document, `${prefix}[].`.replace(".[]", "[]"), depth + 1);
  return [
    ...inItems,
    ...Object.entries(properties).flatMap(([key, property]) => {
      const of = resolved(property, document);
      const name = `${prefix}${key}`;
      const about = [of.description ?? "", limitsOf(of)].filter((text) => text !== "").join(" ");
      const field = { name, type: typeOf(of, document), isRequired: required.includes(key), about };
      return [field, ...fieldsOf(of, document, `${name}.`, depth + 1)];
    }),
  ];
}

/** Returns the alternatives of a schema, with what they have in common; one without alternatives is its own. */
export function alternativesOf(schema: JsonSchema, document: ApiDocument): readonly JsonSchema[] {
  const { oneOf, anyOf, ...common } = resolved(schema, document);
  const alternatives = (oneOf ?? anyOf ?? []).map((each) => resolved(each, document));
  // Some say only which fields are required together.
  if (!alternatives.some(({ properties }) => properties !== undefined)) return [common];
  return alternatives.map((each) => ({ ...common, ...each }));
}

/** Follows references; what a reference adds takes precedence. */
export function resolved(schema: JsonSchema, document: ApiDocument): JsonSchema {
  const { $ref, ...own } = schema;
  if ($ref === undefined) return schema;
  const target = new Map(Object.entries(document.components.schemas)).get($ref.replace(/^.*\//, ""));
  return target === undefined ? own : { ...resolved(target, document), ...defined(own) };
}

/** The type of a field, in short. */
export function typeOf(schema: JsonSchema, document: ApiDocument): string {
  const { type, items, const: only, enum: values, anyOf, oneOf, format } = resolved(schema, document);
  if (only !== undefined) return JSON.stringify(only);
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(" | ");
  const alternatives = anyOf ?? oneOf;
  if (alternatives !== undefined) return [...new Set(alternatives.map((each) => typeOf(each, document)))].join(" | ");
  if (items !== undefined) {
    const of = typeOf(items, document);
    return of.includes(" | ") ? `(${of})[]` : `${of}[]`;
  }
  return format ?? (typeof type === "string" ? type : (type?.join(" | ") ?? "any"));
}

/** The limits of a field, in short. */
export function limitsOf({ minimum, maximum, minLength, maxLength, minItems = 0, maxItems }: JsonSchema): string {
  const isSafe = maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER;
  return [
    ...(isSafe ? [`${minimum ?? ""}…${maximum}.`] : []),
    ...(maxLength === undefined ? [] : [`${minLength ?? 0}…${maxLength} characters.`]),
    ...(maxItems === undefined ? [] : [`${minItems}…${maxItems} entries.`]),
  ].join(" ");
}

function defined(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined));
}
