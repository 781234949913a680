import { assert } from "chai";
import fc from "fast-check";
import { createHash } from "node:crypto";
import { bzip2 } from "../../../server/records/bzip2.ts";
import { loadBzip2Library } from "../../../server/records/bzip2-library.ts";
import { refusal } from "../../support/refusal.ts";

const MAXIMUM = 8 * 1024 * 1024;

/** Bytes without any pattern, the same on every run. */
function noise(size: number): Uint8Array {
  const bytes = Buffer.alloc(size);
  for (let at = 0; at < size; at += 32) createHash("sha256").update(`${at}`).digest().copy(bytes, at);
  return bytes;
}

function roundTrip(data: Uint8Array): void {
  const expanded = bzip2.decompress(bzip2.compress(data), MAXIMUM);
  assert.isTrue(Buffer.from(expanded).equals(data));
}

describe("bzip2", () => {
  it("writes the output of bzip2 -1", () => {
    const expected = "425a68313141592653591931653d00000081000244a000219a68334d07338bb9229c28480c98b29e80";
    assert.equal(Buffer.from(bzip2.compress(Buffer.from("hello"))).toString("hex"), expected);
  });

  for (const size of [0, 1, 31, 99_999, 100_000, 899_999, 900_000, 1_000_000]) {
    it(`round-trips ${size} bytes, with a pattern and without`, () => {
      roundTrip(noise(size));
      roundTrip(Buffer.alloc(size, "ab"));
    });
  }

  it("round-trips any bytes", () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 2000 }), roundTrip));
  });

  it("leaves no globals", () => {
    roundTrip(noise(10));
    assert.notProperty(globalThis, "__dirname");
    assert.notProperty(globalThis, "require");
  });

  it("frees the memory of every call, successful or failed: its maximum suffices for many", () => {
    const library = loadBzip2Library();
    const data = noise(100_000);
    for (let round = 0; round < 200; round++) {
      const compressed = library.compress(data, 1, 133_000);
      assert.equal(compressed.status, 0);
      assert.equal(library.decompress(compressed.output, 133_000).output.length, data.length);
      assert.notEqual(library.decompress(compressed.output, 66_000).status, 0);
      assert.notEqual(library.decompress(compressed.output.subarray(1), 66_000).status, 0);
    }
  });

  it("works with data that do not fit into the memory it starts with", () => {
    roundTrip(noise(3_000_000));
    const output = bzip2.decompress(bzip2.compress(new Uint8Array(20_000_000)), 20_000_000);
    assert.equal(output.length, 20_000_000);
  });

  it("expands up to the maximum and not one byte further", () => {
    const bomb = bzip2.compress(new Uint8Array(MAXIMUM));
    assert.isBelow(bomb.length, 100);
    assert.equal(bzip2.decompress(bomb, MAXIMUM).length, MAXIMUM);
    assert.equal(
      refusal(() => bzip2.decompress(bomb, MAXIMUM - 1)).message,
      `the stream expands to more than ${MAXIMUM - 1} bytes`,
    );
  });

  const stream = bzip2.compress(Buffer.from("a stream of bzip2"));
  const empty = bzip2.compress(Buffer.of());
  const faults: [what: string, data: Uint8Array, message: string][] = [
    ["no bytes at all", Buffer.of(), "the stream is truncated"],
    ["something else", Buffer.from("1|0x|c|d|e30=|t|1"), "the data are not a bzip2 stream"],
    ["a byte after the stream", Buffer.concat([stream, Buffer.of(0)]), "there are bytes after the end of the stream"],
    ["two streams", Buffer.concat([stream, stream]), "there are bytes after the end of the stream"],
    ["an empty stream before another", Buffer.concat([empty, stream]), "there are bytes after the end of the stream"],
    ["a wrong checksum", flipped(stream, 12), "the data are corrupt"],
  ];
  for (const [what, data, message] of faults) {
    it(`rejects ${what}`, () => assert.equal(refusal(() => bzip2.decompress(data, MAXIMUM)).message, message));
  }

  it("rejects a truncated stream", () => {
    for (let end = 0; end < stream.length; end++) refusal(() => bzip2.decompress(stream.subarray(0, end), MAXIMUM));
  });

  it("never decompresses a damaged stream to another text", () => {
    for (let bit = 0; bit < stream.length * 8; bit++) {
      const damaged = flipped(stream, Math.floor(bit / 8), bit % 8);
      let expanded: Uint8Array;
      try {
        expanded = bzip2.decompress(damaged, MAXIMUM);
      } catch {
        refusal(() => bzip2.decompress(damaged, MAXIMUM));
        continue;
      }
      assert.equal(Buffer.from(expanded).toString(), "a stream of bzip2");
    }
  });
});

function flipped(data: Uint8Array, at: number, bit = 0): Uint8Array {
  const copy = Uint8Array.from(data);
  copy[at] = (copy[at] ?? 0) ^ (1 << bit);
  return copy;
}
