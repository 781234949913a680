import { deflateSync } from "node:zlib";
import { assert } from "chai";
import { evidenceIn } from "../../panel/src/files/evidence.ts";
import { type NamedEvidence, pairUp } from "../../panel/src/verify/pairing.ts";
import type { Subject } from "../../panel/src/verify/verdict.ts";
import { BUNDLE_VECTORS } from "../vectors/bundles/vectors.ts";

const [vector = assert.fail()] = BUNDLE_VECTORS;
const kinds = async (name: string, ...content: (string | Buffer)[]): Promise<string[]> =>
  (
    await evidenceIn(
      new File(
        content.map((part) => new Uint8Array(Buffer.from(part))),
        name,
      ),
    )
  ).map(({ kind }) => kind);
const attached = (data: Uint8Array, dictionary = "/Filter /FlateDecode"): Buffer =>
  Buffer.concat([
    Buffer.from(`1 0 obj\n<< /Type /EmbeddedFile ${dictionary} /Length ${data.length} >>\nstream\n`),
    data,
    Buffer.from("\nendstream\nendobj\n"),
  ]);

describe("files that are evidence", () => {
  it("are bundles and statements by their content, and damaged ones by their name", async () => {
    assert.deepEqual(await kinds("any.txt", vector.text), ["bundle"]);
    assert.deepEqual(await kinds("any.txt", `\uFEFF ${vector.text}\r\n`), ["bundle"]);
    assert.deepEqual(await kinds("a.bundle.json", vector.text.slice(0, 50)), ["bundle"]);
    assert.deepEqual(await kinds("a.jws", "no statement"), ["statement"]);
    for (const format of ["constructor", "__proto__", "toString", "sealbook-bundle/2"])
      assert.deepEqual(await kinds("a.json", JSON.stringify({ format })), [], format);
    assert.deepEqual(await kinds("photo.jpg", "\u00FF\u00D8"), []);
    assert.deepEqual(await kinds("empty.txt"), []);
  });

  it("lie in a PDF, plainly or compressed", async () => {
    const bundle = Buffer.from(vector.text);
    const pdf = [
      "%PDF-1.7\n",
      attached(deflateSync(bundle)),
      attached(bundle, ""),
      attached(Buffer.from("verify.mjs")),
    ];
    assert.deepEqual(await kinds("statement.pdf", ...pdf), ["bundle", "bundle"]);
  });

  it("are none in a PDF that only looks as if it had some", async () => {
    const bomb = deflateSync(Buffer.alloc(64 * 1024 * 1024));
    for (const content of [
      [attached(bomb)],
      [attached(Buffer.from("no zlib"))],
      [attached(Buffer.from("short"), "/Length 999999999")],
      ["/Type /EmbeddedFile ".repeat(500_000)],
      [`/Type /EmbeddedFile /Filter${" ".repeat(2_000_000)}stream`],
      ["/EmbeddedFile /Length 100 stream\n".repeat(200_000)],
    ])
      assert.deepEqual(await kinds("hostile.pdf", "%PDF-1.7\n", ...content), []);
  });
});

describe("pairs of documents and evidence", () => {
  const [OWN, OTHER] = ["a".repeat(64), "b".repeat(64)];
  const subject = (name: string, hash: string): Subject => ({ id: name, name, size: 1, hash });
  const evidence = (name: string, hash: string, rest: Partial<NamedEvidence> = {}): NamedEvidence => ({
    ...{ kind: "bundle", name, source: name, isInPdf: false, sha256: name, content: new Uint8Array(), chainId: 1 },
    ...{ records: [{ document_id: "docs/README.md", hash }], attachments: new Map() },
    ...rest,
  });
  const pairs = (subjects: readonly Subject[], all: readonly NamedEvidence[]): string[][] =>
    [...pairUp(subjects, all).values()].map((found) => found.map(({ name }) => name));

  it("are made by hash under any name, the bundle with the file's name first", () => {
    const all = [
      evidence("x", OWN),
      evidence("s.jws", OWN, { kind: "statement" }),
      evidence("y", OWN, { records: [{ document_id: "a.txt", hash: OWN }] }),
    ];
    assert.deepEqual(pairs([subject("a.txt", OWN), subject("b.txt", OTHER)], all), [["y", "x", "s.jws"], []]);
  });

  it("are made by name only for the file that the bundle is called after", () => {
    const readme = evidence("docs/README.md.bundle.json", OTHER);
    const files = ["docs/README.md", "README.md", "src/README.md"].map((name) => subject(name, OWN));
    assert.deepEqual(pairs(files, [readme]), [[readme.name], [], []]);
    assert.deepEqual(pairs([subject("new name.md", OWN)], [readme]), [[readme.name]]);
  });

  it("accuse no file by the bundles of a statement about others", () => {
    const inPdf = evidence("s.pdf", OTHER, { isInPdf: true });
    assert.deepEqual(pairs([subject("a.txt", OWN)], [inPdf]), [[]]);
    const statement = evidence("s.jws", OTHER, { kind: "statement", attachments: new Map([["p.json", "p.json"]]) });
    assert.deepEqual(pairs([subject("a.txt", OWN)], [statement, evidence("p.json", OTHER)]), [[]]);
  });
});
