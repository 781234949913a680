/** A place in a JSON document: the keys and indexes that lead to it. */
export type JsonPath = readonly (string | number)[];

/** An object or a list around the current position of a text. */
interface Container {
  /** The keys of an object so far; `undefined` for a list. */
  readonly keys: Set<string> | undefined;
  /** The current key or index. */
  at: string | number;
}

const BACKSLASH = 0x5c;

/**
 * Finds keys that appear again in the same object, which parsers drop silently. `"a"` and `"\u0061"` are the same key.
 * Libraries either have no path or skip a key whose values are equal.
 *
 * @param text Valid JSON, of any depth
 * @returns the path of each key that appears again, in the order of the text
 */
export function* duplicateKeys(text: string): Generator<JsonPath, void> {
  const open: Container[] = [];
  let container: Container | undefined;
  let isKeyNext = false;
  for (let position = 0; position < text.length; position += 1) {
    switch (text[position]) {
      case "{":
      case "[":
        isKeyNext = text[position] === "{";
        container = { keys: isKeyNext ? new Set() : undefined, at: isKeyNext ? "" : 0 };
        open.push(container);
        break;
      case "}":
      case "]":
        open.pop();
        container = open.at(-1);
        isKeyNext = false;
        break;
      case ",":
        isKeyNext = container?.keys !== undefined;
        if (typeof container?.at === "number") container.at += 1;
        break;
      case '"': {
        const end = endOfString(text, position);
        if (isKeyNext && container?.keys !== undefined) {
          const key = keyOf(text.slice(position, end));
          container.at = key;
          if (container.keys.has(key)) yield open.map(({ at }) => at);
          container.keys.add(key);
        }
        isKeyNext = false;
        position = end - 1;
      }
    }
  }
}

/** Returns the position behind a string. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes += 1;
    // Each pair of them is one that belongs to the string.
    if (backslashes % 2 === 0) return end + 1;
  }
  return text.length;
}

function keyOf(string: string): string {
  // Most keys have no escapes, and are faster without the parser.
  return string.includes("\\") ? String(JSON.parse(string)) : string.slice(1, -1);
}
