import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect } from "chai";
import { BlockLog, type BlockEntry } from "../../../../server/chain/embedded/block-log.ts";
import { SealbookError } from "../../../../server/errors.ts";

const CHAIN_ID = 31_999;

const entryOf = (number: number, transactions: string[] = [`0x${"ab".repeat(number)}`, "0x0102"]): BlockEntry => ({
  number,
  timestamp: 1_700_000_000 + number,
  hash: `0x${number.toString(16).padStart(64, "0")}`,
  transactions,
});

describe("block log of the embedded chain", () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "block-log-"));
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  function write(count: number): void {
    const log = BlockLog.open(directory, CHAIN_ID);
    for (let number = (log.last?.number ?? 0) + 1; number <= count; number += 1) log.append(entryOf(number));
    log.close();
  }
  function read(from = 1): BlockEntry[] {
    const log = BlockLog.open(directory, CHAIN_ID);
    try {
      return [...log.entries(from)];
    } finally {
      log.close();
    }
  }
  function refusal(action: () => unknown): SealbookError {
    try {
      action();
    } catch (error) {
      if (error instanceof SealbookError) return error;
      throw error;
    }
    throw new Error("It was expected to be refused.");
  }
  function change(statement: string): void {
    const database = new DatabaseSync(join(directory, "blocks.sqlite"));
    database.exec(statement);
    database.close();
  }

  it("returns the appended blocks, from any block on, also after a restart", () => {
    write(3);
    write(5);
    expect(read()).to.deep.equal([1, 2, 3, 4, 5].map((number) => entryOf(number)));
    expect(read(4)).to.deep.equal([entryOf(4), entryOf(5)]);
    expect(read(6)).to.deep.equal([]);
    const log = BlockLog.open(directory, CHAIN_ID);
    expect([log.last, log.hashOf(4), log.hashOf(0), log.hashOf(6)]).to.deep.equal([
      entryOf(5),
      entryOf(4).hash,
      undefined,
      undefined,
    ]);
    log.close();
  });

  it("stores empty blocks and large ones, and the order of their transactions", () => {
    const large = entryOf(
      2,
      Array.from({ length: 400 }, (_, index) => `0x${(index % 256).toString(16).padStart(2, "0").repeat(10_000)}`),
    );
    const log = BlockLog.open(directory, CHAIN_ID);
    for (const entry of [entryOf(1, []), large, entryOf(3)]) log.append(entry);
    log.close();
    expect(read()).to.deep.equal([entryOf(1, []), large, entryOf(3)]);
  });

  it("keeps the chain id and the time of its first block", () => {
    const first = BlockLog.open(directory, CHAIN_ID);
    const { genesis } = first;
    first.close();
    expect(genesis).to.include({ chainId: CHAIN_ID, gasLimit: 30_000_000 });
    const again = BlockLog.open(directory, CHAIN_ID);
    expect(again.genesis).to.deep.equal(genesis);
    again.close();
    expect(refusal(() => BlockLog.open(directory, 1)).code).to.equal("chain_id_differs");
  });

  it("rejects another file, and a log with a missing block", async () => {
    write(3);
    change("DELETE FROM blocks WHERE number = 2");
    const { code, message } = refusal(() => read());
    expect(code).to.equal("block_log_damaged");
    expect(message).to.contain("block 2 is missing");
    await rm(join(directory, "blocks.sqlite"));
    await writeFile(join(directory, "blocks.sqlite"), "something else entirely");
    expect(refusal(() => read()).code).to.equal("block_log_damaged");
  });

  it("keeps no read open, so that the write-ahead log can be emptied", () => {
    write(3);
    const log = BlockLog.open(directory, CHAIN_ID);
    expect(log.hashOf(2)).to.equal(entryOf(2).hash);
    for (const { number } of log.entries(1)) if (number === 2) break;
    log.append(entryOf(4));
    const other = new DatabaseSync(join(directory, "blocks.sqlite"));
    expect(other.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()).to.include({ busy: 0 });
    other.close();
    log.close();
  });

  it("creates no log where there must be one", () => {
    const open = () => BlockLog.open(directory, CHAIN_ID, { create: false });
    expect(refusal(open).code).to.equal("directory_unusable");
    write(1);
    open().close();
  });

  it("refuses blocks when its file was deleted", async () => {
    const log = BlockLog.open(directory, CHAIN_ID);
    log.append(entryOf(1));
    await rm(join(directory, "blocks.sqlite"));
    expect(refusal(() => log.append(entryOf(2))).message).to.match(/block log is lost: .* was deleted or moved/);
    log.close();
  });
});
