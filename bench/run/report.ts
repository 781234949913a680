import { appendFileSync, writeFileSync } from "node:fs";
import { type Result, rounded } from "./result.ts";

/** Collects results. Writes each figure immediately as a line of JSON: an aborted run keeps its first results. */
export class Report {
  readonly results: Result[] = [];
  /** Sections that failed, with the reason. */
  readonly failures: { readonly section: string; readonly reason: string }[] = [];
  readonly #file: string | undefined;

  constructor(file: string | undefined) {
    this.#file = file;
    if (file !== undefined) writeFileSync(file, "");
  }

  add(result: Result): void {
    const { details, ...rest } = result;
    const figures = Object.entries(details ?? {}).map(([key, value]): [string, number] => [key, rounded(value)]);
    const kept: Result = { ...rest, value: rounded(result.value), details: Object.fromEntries(figures) };
    this.results.push(kept);
    this.line(kept);
  }

  fail(section: string, reason: string): void {
    this.failures.push({ section, reason });
    this.line({ section, failed: reason });
  }

  /** Writes any other content of the run. */
  line(content: object): void {
    const text = `${JSON.stringify(content)}\n`;
    process.stdout.write(text);
    if (this.#file !== undefined) appendFileSync(this.#file, text);
  }
}
