import { assert } from "chai";
import fc from "fast-check";
import { parseSearchPattern } from "../../../server/records/record.ts";
import { recordIndexStore } from "../../../server/records/record-index.ts";
import { KEY } from "../../support/journal-key.ts";
import { rowEntry } from "../../support/row-entry.ts";
import { ENGINES, openTestDatabase, type TestDatabase } from "../../support/database.ts";
import { searchRecords } from "../../support/search-records.ts";

const SENDER = `0x${"11".repeat(20)}`;

/** The rule once more, in the plainest way there is. */
function matches(phrase: string, text: string): boolean {
  const expression = phrase.replace(/\\\*|\*|[^*]/gsu, (token) => {
    if (token === "*") return "[^]*";
    const literal = token === "\\*" ? "*" : token;
    return literal.replace(/[\\^$.*+?()[\]{}|/]/gu, "\\$&");
  });
  return new RegExp(`^${expression}$`, "u").test(text);
}

describe("search pattern", function () {
  const cases: readonly (readonly [phrase: string, pieces: string[]])[] = [
    ["", [""]],
    ["a", ["a"]],
    ["*", ["", ""]],
    ["a*", ["a", ""]],
    ["*a", ["", "a"]],
    ["a*b", ["a", "b"]],
    ["**", ["", "", ""]],
    ["\\*", ["*"]],
    ["a\\*b", ["a*b"]],
    ["\\**", ["*", ""]],
    ["\\\\*", ["\\*"]],
    ["\\", ["\\"]],
    ["\\a", ["\\a"]],
    ["a\\", ["a\\"]],
    ["%_", ["%_"]],
    ["😀*\u0000", ["😀", "\u0000"]],
  ];
  it("has the pieces between its wildcards", () => {
    for (const [phrase, pieces] of cases) assert.deepEqual([...parseSearchPattern(phrase)], pieces, phrase);
  });

  for (const engine of ENGINES)
    describe(`in the database, on ${engine}`, function () {
      let journal: TestDatabase;
      let position = 0;
      before(async () => {
        journal = await openTestDatabase(engine);
      });
      after(() => journal.close());

      it("finds texts that continue with the highest character", async () => {
        const copy = recordIndexStore(journal.database, KEY, "events");
        await copy.drop();
        const row = rowEntry({
          rowId: BigInt((position += 1)),
          sender: SENDER,
          code: "a\u{10FFFF}",
          topic: "a\u{10FFFF}\u{10FFFF}",
          createdAt: "",
          payload: "",
        });
        await copy.apply({ entries: [row], after: undefined, to: 1, hash: new Uint8Array(32), head: 1 });
        for (const field of ["code", "topic"] as const) {
          const pattern = parseSearchPattern("a*");
          assert.lengthOf(await searchRecords(journal.database, { field, pattern, limit: 10 }), 1, field);
        }
      });

      it("finds texts according to the rule, in either field", async () => {
        // Few characters, so that phrases meet texts; all of them special in some language.
        const character = fc.constantFrom(
          "a",
          "b",
          "A",
          "\\",
          "*",
          "%",
          "_",
          "'",
          "[",
          "]",
          "?",
          "ä",
          "😀",
          "\uFFFF",
          "\u{10FFFF}",
          "\n",
        );
        const text = fc.array(character, { minLength: 1, maxLength: 6 }).map((characters) => characters.join(""));
        // A text with some characters replaced: phrases that nearly match, each a trap for one special character.
        const near = (texts: string[]) =>
          fc
            .tuple(
              fc.constantFrom(...texts),
              fc.array(fc.constantFrom("", "", "*", "%", "_", "\\*", "?"), { minLength: 6, maxLength: 6 }),
            )
            .map(([chosen, changes]) => [...chosen].map((each, index) => changes[index] || each).join(""));
        const searchCase = fc
          .array(text, { minLength: 1, maxLength: 12 })
          .chain((texts) =>
            fc.tuple(
              fc.constant(texts),
              fc.array(fc.oneof(text, near(texts), near(texts)), { minLength: 1, maxLength: 12 }),
            ),
          );
        const copy = recordIndexStore(journal.database, KEY, "events");
        await fc.assert(
          fc.asyncProperty(searchCase, async ([texts, phrases]) => {
            await copy.drop();
            const contents = texts.map((code, index) => ({
              sender: SENDER,
              code,
              topic: texts[texts.length - 1 - index] ?? "",
              createdAt: "",
              payload: "",
            }));
            const rows = contents.map((row) => rowEntry({ rowId: BigInt((position += 1)), ...row }));
            await copy.apply({ entries: rows, after: undefined, to: 1, hash: new Uint8Array(32), head: 1 });
            for (const phrase of [...phrases, "*", ...texts]) {
              const pattern = parseSearchPattern(phrase);
              for (const field of ["code", "topic"] as const) {
                const found = (await searchRecords(journal.database, { field, pattern, limit: 100 })).map(
                  (row) => row[field],
                );
                const expected = contents
                  .map((row) => row[field])
                  .filter((value) => matches(phrase, value))
                  .reverse();
                assert.deepEqual(found, expected, `${field} like ${JSON.stringify(phrase)}`);
              }
            }
          }),
          { numRuns: 200 },
        );
      });
    });
});
