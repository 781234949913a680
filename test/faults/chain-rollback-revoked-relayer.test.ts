import { assert } from "chai";
import { anchored } from "../support/anchored.ts";
import { emptyDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { assertExactlyOnce, freshDocuments } from "../support/exactly-once.ts";
import type { ParsedJson } from "../support/parsed-json.ts";
import { startRelayerPair } from "../support/relayer-pair.ts";
import { allTransactions, rpcCall } from "../support/rpc.ts";
import { FAST_RECHECK } from "../support/server.ts";

describe("a chain rollback with a revoked relayer", () => {
  it("is repaired by another relayer, which sends the lost transactions again", async () => {
    const pair = await startRelayerPair(await emptyDatabase("sqlite"));
    try {
      const [first, second] = pair.seats;
      await rpcCall(pair.url, "evm_setAutomine", true);
      const snapshot = await rpcCall(pair.url, "evm_snapshot");
      const dying = await first.start({ BATCH_MAX_AGE: "1" });
      const documents = freshDocuments(3);
      const before: ParsedJson[] = [];
      for (const document of documents) {
        before.push((await anchored(dying, "/api/v1/proof", document)).body.proof);
      }
      await dying.end("SIGKILL");
      await rpcCall(pair.url, "evm_revert", snapshot);
      const other = await second.start(
        { BATCH_MAX_AGE: "1" },
        {
          ...FAST_RECHECK,
          chainLagMilliseconds: 1_000,
          settings: { journal: { reconcileIntervalMilliseconds: 1_000 } },
        },
      );
      const added = freshDocuments(2);
      for (const document of added) await anchored(other, "/api/v1/proof", document);
      await eventually(async () => {
        const hashes = (await allTransactions(pair.url)).map(({ hash }) => hash);
        assert.includeMembers(
          hashes,
          before.map(({ tx_hash }) => tx_hash),
        );
        assert.equal((await other.get("/api/v1/status")).body.journal.divergences, 0);
      });
      await assertExactlyOnce(other, pair.url, { accepted: [...documents, ...added] });
      assert.match(other.output(), /the chain is older than the journal: 3 transactions/);
    } finally {
      await pair.close();
    }
  });
});
