import { parse } from "lossless-json";

/**
 * Parses JSON text for {@link JsonView}, which shows its numbers as they are written. Of a key that appears twice, the
 * last value counts, as with `JSON.parse`.
 */
export function writtenJson(text: string): unknown {
  return parse(text, undefined, { onDuplicateKey: ({ newValue }) => newValue });
}

/**
 * Parses JSON text so that `JSON.stringify` writes its numbers as they are written, in browsers that can do so: all
 * since 2025.
 * @throws SyntaxError for other text, for a key that appears twice with different values, and for one that an object
 * would lose
 */
export function parseForSending(text: string): unknown {
  JSON.parse(text, (key, value: unknown) => {
    if (key === "__proto__") throw new SyntaxError("a key is __proto__");
    return value;
  });
  return parse(text, undefined, (number) => ("rawJSON" in JSON ? JSON.rawJSON(number) : Number(number)));
}

/** Parses JSON text in base64, as {@link writtenJson}. */
export function writtenJsonOfBase64(base64: string): unknown {
  return writtenJson(new TextDecoder().decode(Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))));
}
