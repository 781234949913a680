import { assert } from "chai";
import type { Database } from "../../../../server/journal/engine/database.ts";
import { readTree, writeNodes } from "../../../../server/journal/entries/digest-nodes.ts";
import { DigestTree, ENTRIES_PER_BLOCK } from "../../../../server/journal/integrity/digest-tree.ts";
import { ENGINES, openTestDatabase, type TestDatabase } from "../../../support/database.ts";

const digestsOf = (blocks: number): Uint8Array[] =>
  Array.from({ length: blocks * ENTRIES_PER_BLOCK }, (_, n) => Buffer.alloc(32, n % 251));

for (const engine of ENGINES)
  describe(`the nodes over the digests, on ${engine}`, function () {
    let opened: TestDatabase;
    beforeEach(async () => {
      opened = await openTestDatabase(engine);
    });
    afterEach(() => opened.close());

    const write = (before: number, digests: readonly Uint8Array[]): Promise<void> =>
      opened.database.transaction().execute((transaction: Database) => writeNodes(transaction, before, digests));

    it("are the same, however many entries are appended at once", async () => {
      const digests = digestsOf(3);
      await write(0, digests.slice(0, 130));
      await write(130, digests.slice(130, 255));
      await write(255, digests.slice(255));
      const tree = new DigestTree([]);
      for (let last = ENTRIES_PER_BLOCK; last <= digests.length; last += ENTRIES_PER_BLOCK)
        tree.add(digests[last - 1] ?? assert.fail());
      assert.deepEqual(Buffer.from((await readTree(opened.database, digests.length)).root), Buffer.from(tree.root));
    });

    it("take no block over a missing node", async () => {
      const error = await write(ENTRIES_PER_BLOCK, digestsOf(1)).catch((thrown: unknown) => thrown);
      assert.deepInclude(error, { code: "journal_damaged", message: "node 0 of level 0 over the digests is missing" });
    });

    it("take no block whose node is there before it", async () => {
      await opened.database
        .insertInto("digest_nodes")
        .values({ level: 0, number: 0, digest: Buffer.alloc(32) })
        .execute();
      const error = await write(0, digestsOf(1)).catch((thrown: unknown) => thrown);
      assert.deepInclude(error, { code: "journal_damaged" });
    });
  });
