import { nextTurn } from "../../kit/next-turn.ts";
import type { ProofAnchorClient } from "../../chain/contracts/proof-anchor-client.ts";
import { SealbookError } from "../../errors.ts";
import { equalBytes } from "../../kit/bytes.ts";
import { hex } from "../../kit/hex.ts";
import type { Database } from "../engine/database.ts";
import type { JournalEvents } from "../events.ts";
import {
  auditPositions,
  blocksIn,
  checkpointHash,
  ENTRIES_PER_BLOCK,
  isUnder,
  type NodePosition,
} from "../integrity/digest-tree.ts";
import { GENESIS, type JournalHead } from "../integrity/entry-chain.ts";
import { KeyCheck, KeyGuard } from "../index/key-guard.ts";
import type { JournalEntry } from "./codec.ts";
import { readNodes, readTree } from "./digest-nodes.ts";
import { readEntries } from "./entry-rows.ts";
import { type JournalRow, rowsBetween } from "./journal-rows.ts";
import { followAll, readBlocks } from "./entry-source.ts";

/** Maximum number of checked blocks that a reader keeps. */
const MOST_BLOCKS = 64;
/** Maximum number of checkpoints that are known to be on chain. */
const MOST_CHECKPOINTS = 1_000;
/** Maximum number of checked rows that a reader knows. */
const MOST_WRITTEN = 10_000;

export interface EntryVerifierDeps {
  readonly database: Database;
  readonly chain: Pick<ProofAnchorClient, "anchorOf">;
  readonly telemetry: Pick<JournalEvents, "journalDiverged">;
}

/**
 * Reads entries that the server signs or answers for: a changed database must not change them. The cost of an entry has
 * a bound: its block and an audit path to the newest checkpoint on chain.
 */
export class EntryVerifier {
  readonly #deps: EntryVerifierDeps;
  /** Hashes of checkpoints that the chain has. */
  readonly #onChain = new Set<string>();
  readonly #keyCheck: KeyCheck;

  constructor(deps: EntryVerifierDeps) {
    this.#deps = deps;
    this.#keyCheck = new KeyCheck(deps.database);
  }

  /** Begins to read for one request. Each block is checked once in a request. */
  begin(): VerifiedEntries {
    const { database, chain, telemetry } = this.#deps;
    const isOnChain = (hash: Uint8Array): Promise<boolean> => this.#isOnChain(chain, hash);
    return new VerifiedEntries({ database, telemetry, keyCheck: this.#keyCheck, isOnChain });
  }

  async #isOnChain(chain: EntryVerifierDeps["chain"], hash: Uint8Array): Promise<boolean> {
    const key = hex(hash);
    if (this.#onChain.has(key)) return true;
    const found = (await chain.anchorOf(hash))?.size === 0;
    if (this.#onChain.size === MOST_CHECKPOINTS) this.#onChain.clear();
    if (found) this.#onChain.add(key);
    return found;
  }
}

interface ReaderDeps extends Pick<EntryVerifierDeps, "database" | "telemetry"> {
  readonly keyCheck: KeyCheck;
  readonly isOnChain: (hash: Uint8Array) => Promise<boolean>;
}

/** The newest confirmed checkpoint. */
interface CheckpointHead extends JournalHead {
  readonly root: Uint8Array;
}

/** Checked entries. All methods throw SealbookError `journal_damaged`, and raise a divergence, for changed ones. */
export class VerifiedEntries {
  readonly #deps: ReaderDeps;
  readonly #blocks = new Map<number, Promise<readonly JournalEntry[]>>();
  readonly #keys: KeyGuard;
  /** Checks of rows, by their last entry. */
  readonly #written = new Map<number, Promise<void>>();
  #head: Promise<JournalHead> | undefined;
  #checkpoint: Promise<CheckpointHead | undefined> | undefined;

  constructor(deps: ReaderDeps) {
    this.#deps = deps;
    this.#keys = new KeyGuard(deps.keyCheck);
  }

  /** Returns the newest entry's number: no entry is after it. */
  async newest(): Promise<number> {
    const { sequence } = await this.#newestHead();
    const numbers = await this.#numbers(sequence - 1, 2);
    const head = await this.#deps.database.selectFrom("journal_head").select("sequence").executeTakeFirst();
    // An entry may have been appended meanwhile.
    const isNewest = numbers.length === 1 || head?.sequence !== sequence;
    if (sequence > 0 && (numbers[0] !== sequence || !isNewest))
      this.damaged(`entry ${sequence} is not the newest one of the journal, though its head says so`);
    return sequence;
  }

  /** Returns an entry. */
  async entry(sequence: number): Promise<JournalEntry> {
    const block = sequence < 1 ? [] : await this.#block(blocksIn(sequence - 1));
    const entry = block[(sequence - 1) % ENTRIES_PER_BLOCK];
    if (entry?.sequence === sequence) {
      // What a proof says is compared with the chain as well.
      if (entry.kind !== "proof") await this.#assertWritten(sequence);
      return entry;
    }
    return this.damaged(`the journal has no entry ${sequence}, though it refers to it`);
  }

  /** Returns the numbers of the proofs after an entry, among at most `limit` entries: no entry is missing. */
  async proofsAfter(sequence: number, limit: number): Promise<{ numbers: number[]; last: number | undefined }> {
    const count = Math.min(limit, (await this.newest()) - sequence);
    if (count <= 0) return { numbers: [], last: undefined };
    const stored = await readEntries(this.#deps.database, sequence, count).catch((error: unknown) => this.#fail(error));
    const lost = stored.findIndex(({ entry }, index) => entry.sequence !== sequence + 1 + index);
    if (lost >= 0 || stored.length < count)
      this.damaged(`entry ${sequence + 1 + (lost >= 0 ? lost : stored.length)} of the journal is missing`);
    const proofs = stored.filter(({ entry }) => entry.kind === "proof");
    return { numbers: proofs.map(({ entry }) => entry.sequence), last: sequence + count };
  }

  /** Checks that the index has all keys of proofs that a look-up of these keys has to find. */
  async assertIndexed(keys: readonly number[]): Promise<void> {
    await this.#keys.check(keys).catch((error: unknown) => this.#fail(error, "index"));
  }

  /** Raises a divergence and throws. */
  damaged(message: string, subject: "entries" | "index" = "entries"): never {
    this.#deps.telemetry.journalDiverged(subject, message);
    throw new SealbookError(
      "journal_damaged",
      `${message}. Nothing is signed or confirmed from it until it is restored`,
    );
  }

  #fail(error: unknown, subject?: "index"): never {
    if (error instanceof RangeError || error instanceof TypeError) this.damaged(error.message, subject);
    throw error;
  }

  #newestHead(): Promise<JournalHead> {
    this.#head ??= this.#deps.database
      .selectFrom("journal_head")
      .select(["sequence", "digest"])
      .executeTakeFirst()
      .then((head) => head ?? this.damaged("the journal has no head"));
    return this.#head;
  }

  async #numbers(after: number, limit: number): Promise<number[]> {
    const stored = await readEntries(this.#deps.database, after, limit).catch((error: unknown) => this.#fail(error));
    return stored.map(({ entry }) => entry.sequence);
  }

  #block(block: number): Promise<readonly JournalEntry[]> {
    const known = this.#blocks.get(block);
    if (known !== undefined) return known;
    const checked = this.#checked(block).catch((error: unknown) => this.#fail(error));
    this.#blocks.set(block, checked);
    for (const oldest of this.#blocks.keys()) {
      if (this.#blocks.size <= MOST_BLOCKS) break;
      this.#blocks.delete(oldest);
    }
    return checked;
  }

  /** Checks that a relayer has written an entry: the entries of its row give the digest that its code covers. */
  async #assertWritten(sequence: number): Promise<void> {
    const { database } = this.#deps;
    const [row] = await rowsBetween(database, sequence - 1, sequence).catch((error: unknown) => this.#fail(error));
    if (row === undefined) return this.damaged(`entry ${sequence} of the journal has no row`);
    const known = this.#written.get(row.sequence);
    if (known !== undefined) return known;
    const written = this.#checkRow(row).catch((error: unknown) => this.#fail(error));
    if (this.#written.size === MOST_WRITTEN) this.#written.clear();
    this.#written.set(row.sequence, written);
    return written;
  }

  async #checkRow({ previous, sequence: last, digest }: JournalRow): Promise<void> {
    const { database } = this.#deps;
    const stored = await readEntries(database, previous.sequence, last - previous.sequence);
    const blocks = await readBlocks(database, previous.sequence, last);
    const reached = followAll(previous, stored, blocks, new Map([[last, digest]]));
    if (reached.sequence !== last) throw new RangeError(`entry ${reached.sequence + 1} of the journal is missing`);
  }

  async #checked(block: number): Promise<readonly JournalEntry[]> {
    const { database } = this.#deps;
    // A block takes milliseconds: other requests are served between two.
    await nextTurn();
    const head = await this.#newestHead();
    this.#checkpoint ??= this.#newestCheckpoint();
    const checkpoint = await this.#checkpoint;
    const first = block * ENTRIES_PER_BLOCK;
    const last = Math.min(first + ENTRIES_PER_BLOCK, head.sequence);
    if (first >= last) return [];
    const start = await this.#blockStart(block);
    const stored = await readEntries(database, first, last - first);
    const end = followAll(start, stored, await readBlocks(database, first, last));
    if (end.sequence !== last) throw new RangeError(`entry ${end.sequence + 1} of the journal is missing`);
    if (last === head.sequence && !equalBytes(end.digest, head.digest))
      throw new RangeError(`the newest entry ${last} does not have the digest that is stored for it`);
    if (checkpoint !== undefined) {
      await this.#audit(block, checkpoint);
      if (blocksIn(checkpoint.sequence) === block && checkpoint.sequence > first) {
        const covered = stored.filter(({ entry }) => entry.sequence <= checkpoint.sequence);
        if (!equalBytes(followAll(start, covered, new Map()).digest, checkpoint.digest))
          throw new RangeError(`entry ${checkpoint.sequence} does not have the digest of its checkpoint on chain`);
      }
    }
    return stored.map(({ entry }) => entry);
  }

  /** Checks the digests of a block and of the one before against the checkpoint, as far as it covers them. */
  async #audit(block: number, { sequence, root }: CheckpointHead): Promise<void> {
    const blocks = blocksIn(sequence);
    const covered = [block - 1, block].filter((each) => each >= 0 && each < blocks);
    const stored = await readNodes(
      this.#deps.database,
      covered.flatMap((each) => auditPositions(each, blocks)),
    );
    const node = ({ level, number }: NodePosition): Uint8Array => {
      const found = stored.find((each) => each.level === level && each.number === number);
      if (found === undefined) throw new RangeError(`node ${number} of level ${level} over the digests is missing`);
      return found.digest;
    };
    for (const each of covered) {
      if (!isUnder({ block: each, blocks, root }, node))
        throw new RangeError(`the entries of block ${each} do not belong to the journal's checkpoint on chain`);
    }
  }

  async #newestCheckpoint(): Promise<CheckpointHead | undefined> {
    const { database, isOnChain } = this.#deps;
    const row = await database
      .selectFrom("anchors")
      .innerJoin("confirmations", "confirmations.sequence", "anchors.confirmation")
      .select(["anchors.checkpoint as sequence", "anchors.hash", "confirmations.hash as confirmed"])
      .where("anchors.checkpoint", "is not", null)
      .orderBy("anchors.checkpoint", "desc")
      .limit(1)
      .executeTakeFirst();
    if (row === undefined || row.sequence === null) return undefined;
    const { sequence, hash, confirmed } = row;
    const tree = await readTree(database, sequence);
    const start = await this.#blockStart(blocksIn(sequence));
    const entries = await readEntries(database, start.sequence, sequence - start.sequence);
    const { digest, sequence: reached } = followAll(start, entries, new Map());
    const { root } = tree;
    if (reached !== sequence || !equalBytes(hash, confirmed) || !equalBytes(checkpointHash(root, { digest }), hash))
      throw new RangeError(`the journal up to entry ${sequence} does not give its checkpoint on chain`);
    if (!(await isOnChain(confirmed)))
      throw new RangeError(`the chain does not have the checkpoint of entry ${sequence}`);
    return { sequence, digest, root };
  }

  /** Returns the entry before a block. */
  async #blockStart(block: number): Promise<JournalHead> {
    if (block === 0) return GENESIS;
    const [node] = await readNodes(this.#deps.database, [{ level: 0, number: block - 1 }]);
    if (node === undefined)
      throw new RangeError(`the digest of the entries up to ${block * ENTRIES_PER_BLOCK} is missing`);
    return { sequence: block * ENTRIES_PER_BLOCK, digest: node.digest };
  }
}
