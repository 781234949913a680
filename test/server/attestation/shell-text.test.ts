import { execFileSync } from "node:child_process";
import { assert } from "chai";
import fc from "fast-check";
import { printfFormat, shellWord } from "../../../server/attestation/shell-text.ts";

const sh = (command: string): string => execFileSync("sh", ["-c", command], { encoding: "utf8" });
const texts = [
  "a",
  "-n",
  "--",
  "%s %d %%",
  "it's",
  '"$HOME" `id` $(id)',
  "\\n\\0",
  "line\nbreak\t\r",
  " leading",
  "trailing ",
  "你好 ü \u{1f600}",
  "1\\0611",
  "!x",
];

describe("texts in shell commands", () => {
  it("round-trip through printf, in ASCII only", () => {
    for (const text of texts) {
      assert.match(printfFormat(text), /^[ -~]*$/);
      assert.equal(sh(`printf ${printfFormat(text)}`), text);
    }
    const anything = fc
      .string({ unit: "grapheme", minLength: 1, maxLength: 40 })
      .filter((text) => !text.includes("\0"));
    fc.assert(
      fc.property(anything, (text) => sh(`printf ${printfFormat(text)}`) === text),
      { numRuns: 50 },
    );
  });

  it("are single words", () => {
    for (const text of texts) assert.equal(sh(`printf '%s' ${shellWord(text)}`), text);
  });
});
