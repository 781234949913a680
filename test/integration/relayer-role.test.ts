import { assert } from "chai";
import { Wallet } from "ethers";
import { RelayerRoles } from "../../scripts/relayer/relayer-roles.ts";
import { CONTRACT_NAMES } from "../../server/chain/transaction.ts";
import { connectRpc } from "../../server/chain/rpc/connect.ts";
import { deploymentFile, readDeployment } from "../../server/chain/contracts/deployment.ts";
import { eventually } from "../support/eventually.ts";
import { freshDocuments } from "../support/exactly-once.ts";
import { FEES } from "../support/fees.ts";
import { type RemoteChain, startRemoteChain } from "../support/remote-chain.ts";
import { ROUTES, startServer, type TestServer } from "../support/server.ts";

describe("a relayer without its role", () => {
  let chain: RemoteChain;
  let server: TestServer;
  before(async () => {
    chain = await startRemoteChain();
    server = await startServer(
      { ...chain.variables, PROOF_WAIT: "1" },
      { directory: chain.directory, overrides: { nodeIntervalMilliseconds: 50 } },
    );
  });
  after(async () => {
    await server.stop("keep");
    await chain.close();
  });

  const change = async (kind: "grant" | "revoke"): Promise<void> => {
    const rpc = connectRpc(chain.url, 7326);
    const deployment = (await readDeployment(deploymentFile(chain.directory, 7326))) ?? assert.fail();
    const roles = new RelayerRoles(rpc, deployment);
    for (const contract of CONTRACT_NAMES)
      await roles.change(kind, contract, chain.relayer, new Wallet(chain.variables.ADMIN_KEY ?? ""), FEES);
    rpc.close();
  };
  const alerts = async (): Promise<{ state: string; message: string }[]> =>
    (await server.get("/api/v1/alerts")).body.alerts.filter(
      ({ subject }: { subject?: string }) => subject === "network: role",
    );

  it("is a problem of the status and an alert with the command; callers get 503 in plain words", async () => {
    const account = (await server.context.accounts?.create("full")) ?? assert.fail("no administrator");
    const token = await server.login(account);
    await change("revoke");
    const { body } = await server.get("/api/v1/status");
    assert.equal(body.status, "degraded");
    const lack =
      `the relayer ${chain.relayer} may not write to SessionRegistry, EventTable, ProofAnchor; ` +
      `the administrator grants the role with \`npx sealbook relayer grant ${chain.relayer}\``;
    assert.deepInclude(body.problems, { part: "relayer.role", reason: lack });
    await eventually(async () => assert.deepInclude((await alerts())[0], { state: "raised", message: lack }));

    const [document = assert.fail()] = freshDocuments(1);
    assert.equal((await server.post("/api/v1/proof", document)).status, 202, "it waits for the role");
    for (const reply of [
      await server.call(ROUTES.store, { token }, { code: "c", topic: "t", payload: {} }),
      await server.call(ROUTES.auth, account),
    ]) {
      assert.equal(reply.status, 503, reply.text);
      assert.include(reply.text, "the server's relayer may not write to the contract");
      assert.notInclude(reply.text, "AccessControl");
    }

    await change("grant");
    await eventually(async () => assert.equal((await alerts())[0]?.state, "resolved"));
  });
});
