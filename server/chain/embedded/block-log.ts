import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import * as z from "zod";
import { SealbookError, reasonOf } from "../../errors.ts";
import { PinnedPath } from "../../kit/pinned-path.ts";
import { makePrivate } from "../../kit/durable-file.ts";

/** A block as it is stored. */
export interface BlockEntry {
  readonly number: number;
  /** Seconds since 1970. */
  readonly timestamp: number;
  /** 0x and 64 hex digits. */
  readonly hash: string;
  /** The signed transactions in the order of the block, as 0x hex. */
  readonly transactions: readonly string[];
}

/** The parameters of the first block and so of every block hash; fixed for the life of a chain folder. */
export interface Genesis {
  readonly chainId: number;
  readonly timestamp: number;
  readonly gasLimit: number;
}

/** The gas limit of the blocks of new chains. */
const BLOCK_GAS_LIMIT = 30_000_000;

const FILE = "blocks.sqlite";

const SCHEMA = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  CREATE TABLE IF NOT EXISTS genesis (chain_id INTEGER NOT NULL, timestamp INTEGER NOT NULL, gas_limit INTEGER NOT NULL)
    STRICT;
  CREATE TABLE IF NOT EXISTS blocks (number INTEGER PRIMARY KEY, timestamp INTEGER NOT NULL, hash BLOB NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS transactions (block INTEGER, position INTEGER, raw BLOB NOT NULL,
    PRIMARY KEY (block, position)) STRICT, WITHOUT ROWID;
`;

const hex = z.instanceof(Uint8Array).transform((bytes) => `0x${Buffer.from(bytes).toString("hex")}`);
const GenesisRow = z.object({ chainId: z.number(), timestamp: z.number(), gasLimit: z.number() });
const BlockRow = z.object({ number: z.number(), timestamp: z.number(), hash: hex });
const NewestRow = z.object({ newest: z.number().nullable() });
const TransactionRow = z.object({ raw: hex });

/**
 * The blocks of the chain on disk, in an SQLite file. A block is durable once {@link BlockLog.append} has returned;
 * after a crash the rest of an unfinished append is gone.
 */
export class BlockLog {
  readonly genesis: Genesis;
  readonly #database: DatabaseSync;
  readonly #place: PinnedPath;
  readonly #selectBlock: StatementSync;
  readonly #selectTransactions: StatementSync;
  readonly #insertBlock: StatementSync;
  readonly #insertTransaction: StatementSync;
  #last: BlockEntry | null;

  private constructor(database: DatabaseSync, path: string, chainId: number) {
    this.#database = database;
    database.exec(SCHEMA);
    this.#place = new PinnedPath(path);
    this.genesis = genesisOf(database, path, chainId);
    this.#selectBlock = database.prepare("SELECT number, timestamp, hash FROM blocks WHERE number = ?");
    this.#selectTransactions = database.prepare("SELECT raw FROM transactions WHERE block = ? ORDER BY position");
    this.#insertBlock = database.prepare("INSERT INTO blocks (number, timestamp, hash) VALUES (?, ?, ?)");
    this.#insertTransaction = database.prepare("INSERT INTO transactions (block, position, raw) VALUES (?, ?, ?)");
    const { newest } = NewestRow.parse(database.prepare("SELECT max(number) AS newest FROM blocks").get());
    this.#last = newest === null ? null : (this.#block(newest) ?? null);
  }

  /**
   * Opens the log of a locked folder.
   * @param options.create Whether an empty folder gets a new chain with this chain id
   * @throws SealbookError `block_log_damaged`; `chain_id_differs`; `directory_unusable` when there is no log and none
   * may be created
   */
  static open(directory: string, chainId: number, { create = true }: { readonly create?: boolean } = {}): BlockLog {
    const path = join(directory, FILE);
    if (!create && !existsSync(path))
      throw new SealbookError("directory_unusable", `${path} is missing. Put the chain's folder back.`);
    makePrivate(path);
    const database = new DatabaseSync(path);
    try {
      return reading(path, () => new BlockLog(database, path, chainId));
    } catch (error) {
      database.close();
      throw error;
    }
  }

  /** The newest block, or null when only the genesis block exists. */
  get last(): BlockEntry | null {
    return this.#last;
  }

  /**
   * Appends a block and returns when it is on disk. After an error the log must be reopened.
   * @throws SealbookError `directory_unusable` when the log is not at its path any more
   */
  append(entry: BlockEntry): void {
    this.#database.exec("BEGIN IMMEDIATE");
    this.#insertBlock.run(entry.number, entry.timestamp, bytesOf(entry.hash));
    for (const [position, raw] of entry.transactions.entries())
      this.#insertTransaction.run(entry.number, position, bytesOf(raw));
    this.#database.exec("COMMIT");
    // A deleted file can still be written to, but is lost at the end of the process.
    const fault = this.#place.fault();
    if (fault !== undefined) throw new SealbookError("directory_unusable", `The block log is lost: ${fault}.`);
    this.#last = entry;
  }

  /**
   * Yields the blocks from a number on.
   * @throws SealbookError `block_log_damaged` when one is missing or cannot be read
   */
  *entries(from: number): Generator<BlockEntry, void, void> {
    // One block at a time: an open query would keep the write-ahead log from being emptied.
    for (let number = from; number <= (this.#last?.number ?? 0); number += 1) {
      const entry = reading(this.#place.path, () => this.#block(number));
      if (entry === undefined) throw damaged(this.#place.path, `block ${number} is missing`);
      yield entry;
    }
  }

  /** Returns the hash of a block; `undefined` for one that is not in the log, such as the genesis block. */
  hashOf(blockNumber: number): string | undefined {
    return reading(this.#place.path, () => {
      const row = this.#selectBlock.get(blockNumber);
      return row && BlockRow.parse(row).hash;
    });
  }

  close(): void {
    this.#database.close();
  }

  #block(number: number): BlockEntry | undefined {
    const row = this.#selectBlock.get(number);
    if (row === undefined) return undefined;
    const transactions = this.#selectTransactions.all(number).map((each) => TransactionRow.parse(each).raw);
    return { ...BlockRow.parse(row), transactions };
  }
}

/** Reads the genesis, or creates it in a new log. */
function genesisOf(database: DatabaseSync, path: string, chainId: number): Genesis {
  const found = database.prepare("SELECT chain_id AS chainId, timestamp, gas_limit AS gasLimit FROM genesis").get();
  if (found === undefined) {
    const genesis = { chainId, timestamp: Math.floor(Date.now() / 1000), gasLimit: BLOCK_GAS_LIMIT };
    database.prepare("INSERT INTO genesis VALUES (?, ?, ?)").run(chainId, genesis.timestamp, genesis.gasLimit);
    return genesis;
  }
  const genesis = GenesisRow.parse(found);
  if (genesis.chainId === chainId) return genesis;
  throw new SealbookError(
    "chain_id_differs",
    `The chain in ${path} has chain id ${genesis.chainId}, but ${chainId} is configured.`,
  );
}

/** Says of an error of SQLite that the log is damaged. */
function reading<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof SealbookError) throw error;
    throw damaged(path, reasonOf(error), error);
  }
}

function damaged(path: string, reason: string, cause?: unknown): SealbookError {
  return new SealbookError("block_log_damaged", `${path} is damaged: ${reason}. Restore the folder from a backup.`, {
    cause,
  });
}

function bytesOf(text: string): Buffer {
  return Buffer.from(text.slice(2), "hex");
}
