import { randomBytes } from "node:crypto";
import { assert } from "chai";
import { SealbookError } from "../../../server/errors.ts";
import { bzip2 } from "../../../server/records/bzip2.ts";
import { packRowData } from "../../../server/records/compression.ts";
import { WorkerPool } from "../../../server/kit/workers/worker-pool.ts";
import { Decoder } from "../../../server/records/decoder.ts";
import { rowText } from "../../../server/records/row-text.ts";

function row(bytes: number): string {
  const payload = Buffer.from(JSON.stringify({ noise: randomBytes(bytes).toString("base64") })).toString("base64");
  return ["1", `0x${"1".repeat(40)}`, "code", "", payload, "topic", "1"].join("|");
}

/** Returns the result, and whether other work had its turn meanwhile. */
async function beside<T>(work: Promise<T>): Promise<{ result: T; hadTurns: boolean }> {
  let hadTurns = false;
  setImmediate(() => (hadTurns = true));
  const result = await work;
  return { result, hadTurns };
}

describe("rows in the decoder", () => {
  const workers = new WorkerPool();
  const decoder = new Decoder(workers, []);
  const reader = new Decoder(workers, []);
  after(() => workers.stop());

  for (const [size, bytes, isLarge] of [
    ["small", 500, false],
    ["large", 40_000, true],
  ] as const) {
    it(`that are ${size} are packed and read as without it${isLarge ? ", beside other work" : ""}`, async () => {
      const text = row(bytes);
      const packed = await beside(decoder.pack("account", text));
      const { rowdata, comp } = packRowData(text, bzip2);
      assert.equal(packed.result.comp, comp);
      assert.deepEqual(Buffer.from(packed.result.rowdata), Buffer.from(rowdata));
      const read = await beside(reader.row(packed.result));
      assert.deepEqual(read.result, rowText({ rowdata, comp }));
      assert.deepEqual([packed.hadTurns, read.hadTurns], [isLarge, isLarge]);
    });
  }

  it("that are no records are refused alike, of any size", async () => {
    for (const bytes of [500, 40_000]) {
      const rowdata = randomBytes(bytes);
      for (const comp of [true, false]) {
        const error = await decoder.row({ rowdata, comp }).then(
          () => assert.fail("it was read"),
          (thrown: unknown) => thrown,
        );
        assert.instanceOf(error, SealbookError);
        assert.equal(error.code, "malformed");
      }
    }
  });

  // Security, network: cannot keep others waiting with large records: a thread packs them, one per account in turn
  it("of an account wait for one another, and those of others in between are packed before", async () => {
    const done: string[] = [];
    const pack = (account: string): Promise<void> =>
      decoder.pack(account, row(20_000)).then(() => void done.push(account));
    await Promise.all([...Array.from({ length: 200 }, () => pack("many")), pack("one")]);
    assert.lengthOf(done, 201);
    assert.isBelow(done.indexOf("one"), 5);
  });
});
