import { appendFile, mkdtemp, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import type { BlockEntry } from "../../../../server/chain/embedded/block-entry.ts";
import { BlockLog } from "../../../../server/chain/embedded/block-log.ts";
import { SealbookError } from "../../../../server/errors.ts";

const entryOf = (number: number, transactions: string[] = [`0x${"ab".repeat(number)}`, "0x0102"]): BlockEntry => ({
  number,
  timestamp: 1_700_000_000 + number,
  hash: `0x${number.toString(16).padStart(64, "0")}`,
  transactions,
});

describe("block log of the embedded chain", () => {
  let directory: string;
  let path: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "block-log-"));
    path = join(directory, "blocks.log");
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  async function write(count: number): Promise<void> {
    const log = await BlockLog.open(path);
    for (let number = (log.last?.number ?? 0) + 1; number <= count; number += 1) await log.append(entryOf(number));
    await log.close();
  }
  async function read(from = 1): Promise<{ entries: BlockEntry[]; cut: number }> {
    const log = await BlockLog.open(path);
    const entries: BlockEntry[] = [];
    for await (const entry of log.entries(from)) entries.push(entry);
    await log.close();
    return { entries, cut: log.cutBytes };
  }
  async function refusal(): Promise<SealbookError> {
    const error: unknown = await BlockLog.open(path).then(
      (log) => log.close(),
      (thrown: unknown) => thrown,
    );
    if (error instanceof SealbookError) return error;
    throw new Error("The log was expected to be refused.");
  }

  it("returns the appended blocks, from any block on, also after a restart", async () => {
    await write(3);
    await write(5);
    expect((await read()).entries).to.deep.equal([1, 2, 3, 4, 5].map((number) => entryOf(number)));
    expect((await read(4)).entries).to.deep.equal([entryOf(4), entryOf(5)]);
    expect((await read(6)).entries).to.deep.equal([]);
  });

  it("stores empty blocks and blocks larger than the read buffer", async () => {
    const log = await BlockLog.open(path);
    const large = entryOf(
      2,
      Array.from({ length: 40 }, () => `0x${"cd".repeat(100_000)}`),
    );
    await log.append(entryOf(1, []));
    await log.append(large);
    await log.append(entryOf(3));
    await log.close();
    expect((await read()).entries).to.deep.equal([entryOf(1, []), large, entryOf(3)]);
  });

  it("truncates an incomplete last entry, at any byte, and continues after the previous one", async () => {
    await write(2);
    const whole = (await readFile(path)).length;
    await write(3);
    const bytes = await readFile(path);
    for (let length = whole; length < bytes.length; length += 1) {
      await writeFile(path, bytes.subarray(0, length));
      const { entries, cut } = await read();
      expect(entries, `cut at ${length}`).to.deep.equal([entryOf(1), entryOf(2)]);
      expect(cut).to.equal(length - whole);
      await write(3);
      expect(await readFile(path)).to.deep.equal(bytes);
    }
  });

  it("truncates a last entry with a length but without its content", async () => {
    await write(2);
    const whole = (await readFile(path)).length;
    await write(3);
    const bytes = await readFile(path);
    for (let from = whole; from < bytes.length; from += 1) {
      await writeFile(path, Buffer.concat([bytes.subarray(0, from), Buffer.alloc(bytes.length - from)]));
      if (bytes.subarray(from).every((byte) => byte === 0)) continue;
      expect((await read()).entries, `zeros from ${from}`).to.deep.equal([entryOf(1), entryOf(2)]);
    }
    for (let until = whole + 1; until <= bytes.length; until += 1) {
      await writeFile(
        path,
        Buffer.concat([bytes.subarray(0, whole), Buffer.alloc(until - whole), bytes.subarray(until)]),
      );
      expect((await read()).entries, `zeros until ${until}`).to.deep.equal([entryOf(1), entryOf(2)]);
    }
  });

  it("rejects a log that is damaged before its last entry, at every byte, and leaves it unchanged", async () => {
    await write(1);
    const first = (await readFile(path)).length;
    await write(2);
    const second = (await readFile(path)).length;
    await write(4);
    const bytes = await readFile(path);
    for (let at = first; at < second; at += 1) {
      const damaged = Buffer.from(bytes);
      damaged.writeUInt8(damaged.readUInt8(at) ^ 0x40, at);
      await writeFile(path, damaged);
      expect((await refusal()).code, `byte ${at}`).to.equal("block_log_damaged");
      expect(await readFile(path)).to.deep.equal(damaged);
    }
  });

  it("rejects another file, and a log with a missing block", async () => {
    await writeFile(path, "something else entirely");
    expect((await refusal()).code).to.equal("block_log_damaged");
    await rm(path);
    await write(1);
    const header = (await readFile(path)).subarray(0, 8);
    await writeFile(path, header);
    const log = await BlockLog.open(path);
    await log.append(entryOf(2));
    await log.close();
    expect((await refusal()).message).to.contain("block 2 stands where block 1 belongs");
  });

  it("starts anew when only a part of its first bytes was written", async () => {
    await write(1);
    await truncate(path, 5);
    expect((await read()).entries).to.deep.equal([]);
    await write(2);
    expect((await read()).entries).to.have.length(2);
    await appendFile(path, "SBLK");
    expect((await read()).cut).to.equal(4);
  });
});
