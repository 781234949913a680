import pg from "pg";

const { builtins, getTypeParser } = pg.types;

/** Converts values of PostgreSQL to the types that the embedded engine returns. */
export const POSTGRES_TYPES: pg.CustomTypesConfig = {
  getTypeParser(type, format) {
    switch (type) {
      case builtins.INT8:
      case builtins.NUMERIC: // Sums of whole numbers.
        return wholeNumber;
      case builtins.BYTEA: {
        const toBuffer: (text: string) => Buffer = getTypeParser(type, "text");
        return (text: string) => new Uint8Array(toBuffer(text));
      }
      default:
        return format === undefined ? getTypeParser(type) : getTypeParser(type, format);
    }
  },
};

function wholeNumber(text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number)) return number;
  throw new RangeError(`the database gives ${text}, which is not a whole number that can be counted with`);
}

/**
 * Converts a parameter for PostgreSQL, whose texts cannot hold the NUL character. Records and proofs of this service
 * never contain it, but records written by others and queries may: it is replaced by the symbol for NUL in both.
 */
export function toParameter(value: unknown): unknown {
  return typeof value === "string" ? toPostgresText(value) : value;
}

/** Returns a text as PostgreSQL stores it. */
export function toPostgresText(text: string): string {
  return text.replaceAll("\0", "\u2400");
}
