import { assert } from "chai";
import { accountCommand } from "../../../scripts/commands/account.ts";
import { startHardhat } from "../../networks/nodes.ts";
import { runHere } from "../../support/command.ts";
import { deployRemote } from "../../support/deploy-script.ts";
import { content } from "../../support/envelope.ts";
import { removeDirectory, temporaryDirectory } from "../../support/directory.ts";
import { startFeeChain } from "../../support/fee-chain.ts";
import { assertExactlyOnce, freshDocuments } from "../../support/exactly-once.ts";
import { rpcCall } from "../../support/rpc.ts";
import { type Login, ROUTES, startServer } from "../../support/server.ts";

const PUBLIC_ADMINISTRATOR = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";

for (const [name, startNetwork] of [
  ["hardhat node", startHardhat],
  ["Anvil", startFeeChain],
] as const)
  describe(`deploying to ${name} as it starts`, () => {
    let network: { readonly url: string; stop(): Promise<unknown> };
    let directory: string;
    let variables: Record<string, string>;

    before(async () => {
      network = await startNetwork();
      directory = await temporaryDirectory();
      variables = { RPC_URL: network.url, DATA_DIR: directory };
    });
    after(async () => {
      await network?.stop();
      await removeDirectory(directory);
    });

    it("needs no settings: the node's own accounts pay, at its fee", async () => {
      const { code, out, err } = await deployRemote(variables);
      assert.equal(code, 0, err);
      assert.include(out, "Contracts deployed: 3.");
      const [, key = ""] = /RPC_URL=http:\/\/127\.0\.0\.1:\d+ RELAYER_KEY=(0x[0-9a-f]{64}) npm start/.exec(out) ?? [];
      variables.RELAYER_KEY = key;
      assert.include((await deployRemote({ RPC_URL: network.url, DATA_DIR: directory })).out, "nothing changed");
    });

    it("leads to a server that stores records and proves documents there", async () => {
      const administration = { ...variables, ADMIN_KEY: PUBLIC_ADMINISTRATOR, SESSION_LIFETIME: "3600" };
      const { out, err } = await runHere(accountCommand, administration, ["create", "--json"]);
      assert.isNotEmpty(out, err);
      const server = await startServer({ ...administration, BATCH_MAX_AGE: "1" }, { directory });
      try {
        const token = await server.login(JSON.parse(out) as Login);
        content(await server.call(ROUTES.store, { token }, { code: "a", topic: "t", payload: {} }), ROUTES.store);
        const documents = freshDocuments(20);
        const { status, text: response } = await server.post("/api/v1/proof/batch", { documents });
        assert.equal(status, 201, response);
        await assertExactlyOnce(server, network.url, { accepted: documents });
        const { fee, balance } = (await server.get("/api/v1/status")).body.relayer;
        assert.equal(fee.kind, "eip1559");
        assert.isAbove(Number(balance), 0);
      } finally {
        await server.stop("keep");
      }
    });

    it("names the setting when the fee that is set is too low", async () => {
      await rpcCall(network.url, "evm_mine");
      const empty = await temporaryDirectory();
      const { code, err } = await deployRemote({ RPC_URL: network.url, DATA_DIR: empty, GAS_PRICE: "0" });
      await removeDirectory(empty);
      assert.equal(code, 1);
      assert.match(err, /deploy: GAS_PRICE is 0 gwei but the chain's base fee is .* gwei; unset GAS_PRICE/);
    });
  });
