import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { assert } from "chai";
import { getBytes, Wallet } from "ethers";
import { INTERFACES } from "../../server/chain/contracts/interfaces.ts";
import { deploymentFile, readDeployment } from "../../server/chain/contracts/deployment.ts";
import { eventually } from "../support/eventually.ts";
import { freshDocuments } from "../support/exactly-once.ts";
import type { ParsedJson } from "../support/parsed-json.ts";
import { allTransactions, rpcCall } from "../support/rpc.ts";
import { startServer, type TestServer } from "../support/server.ts";

const STRANGER = Wallet.createRandom().address;

describe("transactions that an administrator of the database adds", () => {
  let server: TestServer;
  before(async () => {
    server = await startServer({ PROOF_WAIT: "5", CHAIN_PORT_SEND: "on" });
  });
  after(() => server.stop());

  // Security, database: cannot have the relayer sign anything but its own calls of the three contracts' functions
  it("are not signed: each raises an alert, and the relayer's own go on", async () => {
    const file = deploymentFile(server.directory, Number(await rpcCall(server.chainUrl, "eth_chainId")));
    const { ProofAnchor, SessionRegistry } = (await readDeployment(file))?.contracts ?? assert.fail();
    const hash = `0x${"ab".repeat(32)}`;
    const anchor = INTERFACES.ProofAnchor.encodeFunctionData("anchor", [hash]);
    const grant = INTERFACES.ProofAnchor.encodeFunctionData("grantRole", [hash, STRANGER]);
    const foreign: readonly (readonly [purpose: string, to: string, data: string])[] = [
      // Also a call as the relayer makes it.
      ["anchor", ProofAnchor, anchor],
      ["anchor", STRANGER, anchor],
      ["anchor", SessionRegistry, anchor],
      ["anchor", ProofAnchor, grant],
      ["anchor", ProofAnchor, "0xdeadbeef"],
      ["nonce_filler", STRANGER, "0x"],
    ];
    const before = await allTransactions(server.chainUrl);
    const database = new DatabaseSync(join(server.directory, "sealbook.sqlite"));
    const { sender } = database.prepare("select sender from transactions limit 1").get() ?? { sender: null };
    const insert = database.prepare(
      `insert into transactions (purpose, to_address, data, state, sender, created_at) values (?, ?, ?, 'queued', ?, 1)
       returning id`,
    );
    const ids = foreign.map(([purpose, to, data]) => {
      const { id } = insert.get(purpose, to, getBytes(data), sender ?? null) ?? assert.fail();
      return Number(id);
    });
    const { status, text } = await server.post("/api/v1/proof/batch", { documents: freshDocuments(3) });
    assert.equal(status, 201, text);
    const stored = database.prepare("select state, reason, raw from transactions where id = ?");
    const rowOf = (id: number) => stored.get(id);
    for (const id of ids) {
      await eventually(async () => assert.equal(rowOf(id)?.["state"], "refused"));
      assert.isNull(rowOf(id)?.["raw"]);
      assert.match(String(rowOf(id)?.["reason"]), /^no relayer has written it, or it was changed$/);
    }
    database.close();
    const after = await allTransactions(server.chainUrl);
    assert.lengthOf(after, before.length + 1, "only the batch was sent");
    await eventually(async () => {
      const { alerts } = (await server.get("/api/v1/alerts")).body;
      const raised = alerts.filter(
        ({ alert, state }: ParsedJson) => alert === "journal_divergence" && state === "raised",
      );
      assert.lengthOf(raised, 1, "one alert for one cause");
      assert.match(raised[0].message, /no call of this relayer and is not sent/);
    });
    assert.equal((await server.get("/api/v1/status")).body.status, "degraded");
  });
});
