import { readFileSync } from "node:fs";
import { join } from "node:path";
import { assert } from "chai";
import * as z from "zod";
import { decodeEntry, encodeEntry, type JournalEntry } from "../../../../server/journal/entries/codec.ts";
import { JournalRow } from "../../../../server/journal/entries/journal-row.ts";
import { JournalKey } from "../../../../server/journal/integrity/journal-key.ts";
import { decodeRows, parseObjectName } from "../../../../server/journal/replication/replica-object.ts";
import { hex } from "../../../../server/kit/bytes.ts";

const bytes = z.string().transform((text): Uint8Array => Buffer.from(text, "hex"));
const Vectors = z.object({
  key: z.string(),
  entries: z.array(z.object({ kind: z.string(), text: z.string(), digest: z.string() })),
  row: z.object({
    first: z.number(),
    last: z.number(),
    proofs: z.number(),
    previous: bytes,
    digest: bytes,
    body: bytes,
    code: bytes,
  }),
  object: z.object({ name: z.string(), content: bytes }),
});

const KINDS: Readonly<Record<JournalEntry["kind"], true>> = {
  proof: true,
  confirmation: true,
  account: true,
  issuer_key: true,
  verification: true,
  resolution: true,
  store: true,
};

describe("the vectors of the journal", () => {
  const file = join(import.meta.dirname, "../../../vectors/journal/journal.json");
  const { key: text, entries, row, object } = Vectors.parse(JSON.parse(readFileSync(file, "utf8")));
  const key = JournalKey.parse(text) ?? assert.fail("no key");

  it("have an entry of each kind", () => {
    assert.hasAllKeys(KINDS, [...new Set(entries.map(({ kind }) => kind))]);
  });

  for (const [index, { kind, text }] of entries.entries())
    it(`${kind}, entry ${index + 1}, has the same text when it is read and written`, () => {
      const entry = decodeEntry(text);
      assert.equal(entry.kind, kind);
      assert.equal(entry.sequence, index + 1);
      assert.equal(encodeEntry(entry), text);
    });

  it("have a row with the digest of each entry, and its code", () => {
    const checked = JournalRow.checked(key, row);
    assert.deepEqual(
      checked.lines().map((line) => line.text),
      entries.map((entry) => entry.text),
    );
    for (const [index, { digest }] of entries.entries()) assert.equal(hex(checked.digestAt(index + 1)), digest);
    assert.throws(() => JournalRow.checked(JournalKey.generate(), row), RangeError);
  });

  it("have an object of a replica with that row", () => {
    const name = parseObjectName(object.name) ?? assert.fail("no name of an object");
    const { journal, nameCode, rows } = decodeRows(Buffer.from(object.content), name, row.previous);
    assert.equal(journal, "31337:journal");
    assert.equal(hex(nameCode), hex(key.codeOfName(journal)));
    assert.lengthOf(rows, 1);
    for (const field of ["previous", "digest", "body", "code"] as const)
      assert.equal(hex(rows[0]?.[field] ?? assert.fail()), hex(row[field]), field);
    assert.deepInclude(rows[0], { first: row.first, last: row.last, proofs: row.proofs });
  });
});
