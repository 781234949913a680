import { readFileSync } from "node:fs";
import { join } from "node:path";
import { assert } from "chai";
import { id, Interface, Wallet } from "ethers";
import * as z from "zod";
import { ProofAnchor__factory } from "../../typechain-types/factories/ProofAnchor__factory.ts";
import { sendAdministratorCall } from "../../server/chain/transactions/administrator-call.ts";
import { connectRpc } from "../../server/chain/rpc/connect.ts";
import { eventually } from "../support/eventually.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { FEES } from "../support/fees.ts";

const RELAYER_ROLE = id("RELAYER_ROLE");
const Keys = z.object({ relayer: z.string(), administrator: z.string() });
const Deployment = z.object({ contracts: z.object({ ProofAnchor: z.string() }) });

describe("a proof rejected by the chain", function () {
  let server: TestServer;
  before(async () => {
    server = await startServer({ CHAIN_PORT_SEND: "on" });
  });
  after(() => server.stop());

  /** Grants or revokes the relayer's role on the anchor contract. */
  async function changeRole(change: "grantRole" | "revokeRole"): Promise<void> {
    const read = (path: string): unknown => JSON.parse(readFileSync(join(server.directory, path), "utf8"));
    const keys = Keys.parse(read("keys.json"));
    const { ProofAnchor: to } = Deployment.parse(read("deployments/7325.json")).contracts;
    const roles = new Interface(ProofAnchor__factory.abi);
    const data = roles.encodeFunctionData(change, [RELAYER_ROLE, new Wallet(keys.relayer).address]);
    const rpc = connectRpc(server.chainUrl, 7325);
    await sendAdministratorCall(rpc, new Wallet(keys.administrator), { to, data, fees: FEES });
    rpc.close();
  }
  const submit = (name: string) =>
    server.post("/api/v1/proof", { document_id: name, hash: "ab".repeat(32), metadata: { timestamp: 1 } });
  const status = async (): Promise<unknown> => (await server.get("/api/v1/status")).body.status;

  it("stays pending, appears in the status, and is anchored when the chain accepts it", async () => {
    await changeRole("revokeRole");
    const response = await submit("early");
    assert.equal(response.status, 202, response.text);
    assert.equal(response.body.status, "pending");
    assert.equal(await status(), "degraded");
    await changeRole("grantRole");
    await eventually(async () => {
      assert.equal((await server.get("/api/v1/proof/early")).body.status, "confirmed");
    });
    assert.equal(await status(), "ok");
  });

  it("is retried after a restart, which stays responsive", async () => {
    await changeRole("revokeRole");
    assert.equal((await submit("before the restart")).status, 202);
    await server.stop("keep");
    server = await startServer({ CHAIN_PORT_SEND: "on" }, { directory: server.directory });
    await changeRole("grantRole");
    assert.equal((await submit("after the restart")).status, 201);
    await eventually(async () => {
      assert.equal((await server.get("/api/v1/proof/before%20the%20restart")).body.status, "confirmed");
    });
  });
});
