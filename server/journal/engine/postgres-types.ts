import pg from "pg";

const { builtins, getTypeParser } = pg.types;

/** How PostgreSQL's values become the journal's: as the embedded engine gives them. */
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
 * A parameter as PostgreSQL takes it. A text cannot hold the NUL character there, which no record or proof of this
 * service has, but others' rows and questions can: the symbol for it stands in its place, in both alike.
 */
export function toParameter(value: unknown): unknown {
  return typeof value === "string" ? value.replaceAll("\0", "\u2400") : value;
}
