// `npm run test:networks`: the product on networks of others. Not a file of `npm test`, because Geth needs Go.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { assert } from "chai";
import { hexlify, randomBytes, toQuantity, Wallet } from "ethers";
import { verifyBundle } from "../../verifier/verify.mjs";
import type { EnvironmentVariables } from "../../server/config/environment.ts";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";
import { content } from "../support/envelope.ts";
import { eventually } from "../support/eventually.ts";
import { assertExactlyOnce, freshDocuments, idOf, type ProofRequest } from "../support/exactly-once.ts";
import { type ServerProcess, startProcess } from "../support/process.ts";
import { allTransactions, rpcCall } from "../support/rpc.ts";
import { type Login, ROUTES } from "../support/server.ts";
import { SURROUNDINGS } from "../support/surroundings.ts";
import { type Network, startAnvil, startGeth, startHardhat } from "./nodes.ts";

const ROOT = join(import.meta.dirname, "../..");
/** In wei. */
const MONEY = 10n ** 18n;

async function run(args: readonly string[], variables: EnvironmentVariables): Promise<string> {
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...SURROUNDINGS, NO_COLOR: "1", ...variables },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const code = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  assert.equal(await code, 0, err);
  return out;
}

for (const [name, startNetwork, confirmations] of [
  ["Geth", startGeth, "3"],
  ["Geth, blocks called finalized", startGeth, "finalized"],
  ["Anvil", startAnvil, "3"],
  // Its blocks are those of its transactions: none would come on top of the last one.
  ["Hardhat", startHardhat, "0"],
] as const)
  describe(`on ${name}`, () => {
    const keys = { relayer: new Wallet(hexlify(randomBytes(32))), administrator: new Wallet(hexlify(randomBytes(32))) };
    let network: Network;
    let directory: string;
    let variables: EnvironmentVariables;
    let server: ServerProcess;
    let account: Login;
    let token: string;
    const documents: ProofRequest[] = [];

    before(async () => {
      network = await startNetwork();
      console.log(`      ${network.program}`);
      directory = await temporaryDirectory();
      variables = {
        ...{ RPC_URL: network.url, DATA_DIR: directory, CONFIRMATIONS: confirmations },
        ...{ RELAYER_KEY: keys.relayer.privateKey, ADMIN_KEY: keys.administrator.privateKey, CHAIN_WAIT: "60" },
        // A session has to outlive several calls that wait for finality.
        SESSION_LIFETIME: "3600",
      };
      const [rich] = await rpcCall(network.url, "eth_accounts");
      for (const { address } of Object.values(keys)) {
        const transfer = { from: rich, to: address, value: toQuantity(MONEY) };
        await rpcCall(network.url, "eth_sendTransaction", transfer);
      }
      await eventually(async () => {
        for (const { address } of Object.values(keys))
          assert.equal(BigInt(await rpcCall(network.url, "eth_getBalance", address, "latest")), MONEY);
      });
    });
    after(async () => {
      await server?.end("SIGTERM");
      await network?.stop();
      if (directory !== undefined) await removeDirectory(directory);
    });

    const post = async (count: number): Promise<void> => {
      const fresh = freshDocuments(count);
      documents.push(...fresh);
      const { status, text: refusal } = await server.post("/api/v1/proof/batch", { documents: fresh });
      assert.oneOf(status, [201, 202], refusal);
    };
    const allConfirmed = (): Promise<void> =>
      eventually(async () => {
        for (const document of documents)
          assert.equal((await server.get(`/api/v1/proof/${idOf(document)}`)).body.status, "confirmed");
      });
    const record = async (code: string) =>
      content(await server.call(ROUTES.store, { token }, { code, topic: "t", payload: { a: 1 } }), ROUTES.store);
    const found = async (code: string): Promise<number> => {
      const response = await server.call(ROUTES.search, { token }, { search: { target: "1", value: code } });
      return content(response, ROUTES.search).tparams.events.length;
    };

    /** Fetches the newest transaction of an account with its call data. */
    const transactionOf = async (address: string) =>
      (await allTransactions(network.url)).filter(({ from }) => from.toLowerCase() === address.toLowerCase()).at(-1) ??
      assert.fail("there is none");

    it("deploys the contracts, once", async () => {
      const deploy = [
        join(ROOT, "node_modules/hardhat/dist/src/cli.js"),
        ...["run", "scripts/deploy.ts", "--network", "remote"],
      ];
      assert.include(await run(deploy, variables), "Contracts deployed: 3.");
      assert.include(await run(deploy, variables), "nothing changed");
    });

    it("creates an account, and starts the server", async () => {
      const { RELAYER_KEY: _, ...administrator } = variables;
      account = JSON.parse(await run(["scripts/sealbook.ts", "account", "create", "--json"], administrator)) as Login;
      server = await startProcess(directory, variables);
    });

    it("opens, validates and extends sessions, stores, finds and decodes records", async () => {
      token = await server.login(account);
      // Both replace the token.
      for (const route of [ROUTES.validate, ROUTES.extend, ROUTES.validate])
        token = String(content(await server.call(route, { token }), route).tparams.tx);
      await record("code");
      await eventually(async () => assert.equal(await found("code"), 1));
      const { input } = await transactionOf(keys.relayer.address);
      content(await server.call(ROUTES.decode, { token }, { function: "insert", inputdata: input }), ROUTES.decode);
    });

    it("anchors and confirms proofs once", async () => {
      await post(20);
      await post(1);
      await allConfirmed();
      await assertExactlyOnce(server, network.url, { accepted: documents });
    });

    it("writes bundles that verify against the node", async () => {
      for (const document of [documents[0], documents.at(-1)]) {
        assert.isDefined(document);
        const { status, text: bundle } = await server.get(`/api/v1/proof/${idOf(document)}?format=bundle`);
        assert.equal(status, 200, bundle);
        const node = (method: string, parameters: readonly unknown[]) => rpcCall(network.url, method, ...parameters);
        const { ok, level, steps } = await verifyBundle(bundle.trimEnd(), document.hash, { node });
        assert.isTrue(ok, JSON.stringify(steps.at(-1)));
        assert.equal(level, "node");
      }
    });

    it("shows blocks and transactions in the explorer", async () => {
      const { proof } = (await server.get(`/api/v1/proof/${idOf(documents[0] ?? assert.fail())}`)).body;
      for (const path of [`blocks/${proof.block_number}`, `transactions/${proof.tx_hash}`, "chain", "anchors"]) {
        const { status, text: shown } = await server.get(`/explorer/api/${path}`);
        assert.equal(status, 200, `${path}: ${shown}`);
      }
    });

    it("continues after a crash with proofs in flight", async () => {
      await post(10);
      await server.end("SIGKILL");
      server = await startProcess(directory, variables);
      await post(5);
      await allConfirmed();
      await assertExactlyOnce(server, network.url, { accepted: documents });
      await eventually(async () => assert.equal(await found("code"), 1));
      content(await server.call(ROUTES.close, { token }), ROUTES.close);
    });
  });
