import { writeFileSync } from "node:fs";
import { EXAMPLES } from "../../server/composition/openapi.ts";
import { EXAMPLE_CREDENTIALS } from "./examples.ts";
import type { ParsedJson } from "./parsed-json.ts";

const FILE = new URL("../../docs/openapi-examples.json", import.meta.url);
const PUBLIC_URL = "https://sealbook.example.org";

/** The responses to the examples' requests, recorded for the OpenAPI document. */
export class Recording {
  readonly #values = new Map<string, unknown>();

  note(operation: string, name: string, { text, body }: { readonly text: string; readonly body: ParsedJson }): void {
    this.#values.set(`${operation} ${name}`, typeof body === "object" ? body : text);
  }

  /**
   * Writes the examples with the new responses, except those that were edited.
   * @param url Address of the server
   * @param actual What the requests had instead of the ids and credentials of the examples
   */
  write(url: string, actual: ReadonlyMap<string, string>): void {
    // The login is an address, which encoded rows have as well.
    const credentials = [EXAMPLE_CREDENTIALS.password, EXAMPLE_CREDENTIALS.token];
    const recorded = Object.entries(EXAMPLES).map(([operation, examples]) => [
      operation,
      examples.map((example) => {
        const value = this.#values.get(`${operation} ${example.name}`);
        if (value === undefined || example.edited) return example;
        return { ...example, response: { ...example.response, value } };
      }),
    ]);
    let text = JSON.stringify(Object.fromEntries(recorded), null, 2).replaceAll(url, PUBLIC_URL);
    for (const [placeholder, value] of actual)
      text = credentials.includes(placeholder)
        ? text.replaceAll(value, placeholder)
        : text.replaceAll(placeholder, value);
    writeFileSync(FILE, `${text}\n`);
  }
}
