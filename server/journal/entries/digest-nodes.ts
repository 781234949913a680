import type { Database } from "../engine/database.ts";
import { chunks } from "../engine/statement-cache.ts";
import { SealbookError } from "../../errors.ts";
import { equalBytes } from "../../kit/bytes.ts";
import {
  below,
  blocksIn,
  checkpointHash,
  completedBy,
  DigestTree,
  ENTRIES_PER_BLOCK,
  hashOfNode,
  nodeHash,
  type NodePosition,
  subtreesOf,
  type TreeNode,
} from "../integrity/digest-tree.ts";
import type { JournalHead } from "../integrity/entry-chain.ts";

/** Reads nodes of the tree over the digests; missing ones are left out. */
export async function readNodes(database: Database, positions: readonly NodePosition[]): Promise<TreeNode[]> {
  if (positions.length === 0) return [];
  return database
    .selectFrom("digest_nodes")
    .select(["level", "number", "digest"])
    .where((e) =>
      e.or(
        [...Map.groupBy(positions, ({ level }) => level)].map(([level, some]) =>
          e.and([e("level", "=", level), e("number", "in", [...new Set(some.map(({ number }) => number))])]),
        ),
      ),
    )
    .execute();
}

/**
 * Reads the tree over the complete blocks of a journal.
 * @throws RangeError when a node is missing
 */
export async function readTree(database: Database, sequence: number): Promise<DigestTree> {
  const positions = subtreesOf(blocksIn(sequence));
  const nodes = await readNodes(database, positions);
  return new DigestTree(
    positions.map(({ level, number }) => {
      const node = nodes.find((each) => each.level === level && each.number === number);
      if (node === undefined) throw new RangeError(`node ${number} of level ${level} over the digests is missing`);
      return node;
    }),
  );
}

/** Computes the content of a checkpoint at an entry. Throws as {@link readTree} does. */
export async function checkpointHashAt(database: Database, head: JournalHead): Promise<Uint8Array> {
  return checkpointHash((await readTree(database, head.sequence)).root, head);
}

/**
 * Writes the nodes of the blocks that new entries complete; inside a write transaction.
 * @param before The newest entry before
 * @param digests Those of the new entries
 * @throws SealbookError `journal_damaged` when a node below is missing, or a new one is there before its block
 */
export async function writeNodes(transaction: Database, before: number, digests: readonly Uint8Array[]): Promise<void> {
  if (blocksIn(before + digests.length) === blocksIn(before)) return;
  const tree = await readTree(transaction, before).catch((cause: unknown) => {
    throw cause instanceof RangeError ? new SealbookError("journal_damaged", cause.message, { cause }) : cause;
  });
  const nodes: TreeNode[] = [];
  for (let block = blocksIn(before) + 1; block <= blocksIn(before + digests.length); block += 1) {
    const digest = digests[block * ENTRIES_PER_BLOCK - before - 1];
    if (digest !== undefined) nodes.push(...tree.add(digest));
  }
  for (const some of chunks(nodes)) {
    const insert = transaction.insertInto("digest_nodes").values(some);
    const { numInsertedOrUpdatedRows } = await insert.onConflict((each) => each.doNothing()).executeTakeFirst();
    if (numInsertedOrUpdatedRows !== BigInt(some.length))
      throw new SealbookError("journal_damaged", `a node over the digests is there before entry ${before + 1}`);
  }
}

/** A complete block. */
export interface Block {
  readonly last: number;
  /** The computed digest; `undefined` when it is unknown. */
  readonly digest: Uint8Array | undefined;
}

/** Finds the nodes over complete blocks that are missing or wrong: each block's own, and those that it completes. */
export async function wrongNodes(
  database: Database,
  blocks: readonly Block[],
): Promise<{ readonly last: number; readonly level: number }[]> {
  const wrong: { last: number; level: number }[] = [];
  for (const { last, digest } of blocks) {
    const positions = completedBy(blocksIn(last) - 1);
    const nodes = await readNodes(
      database,
      positions.flatMap((node) => [node, ...below(node)]),
    );
    const stored = ({ level, number }: NodePosition) =>
      nodes.find((each) => each.level === level && each.number === number);
    for (const position of positions) {
      const [left, right] = below(position).map(stored);
      const above = left && right && nodeHash(hashOfNode(left), hashOfNode(right));
      const found = stored(position)?.digest;
      const expected = position.level > 0 ? above : (digest ?? found);
      if (!equalBytes(found, expected)) wrong.push({ last, level: position.level });
    }
  }
  return wrong;
}
