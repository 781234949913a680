import { readFileSync } from "node:fs";
import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { assert } from "chai";
import { AbiCoder, concat, getCreateAddress, Interface, Wallet } from "ethers";
import { deploymentFile } from "../../server/chain/contracts/deployment.ts";
import { connectRpc } from "../../server/chain/rpc/connect.ts";
import { openDatabase } from "../../server/journal/engine/database.ts";
import type { EnvironmentVariables } from "../../server/config/environment.ts";
import { sendAdministratorCall } from "../../server/chain/transactions/administrator-call.ts";
import { decodeCommand } from "../../scripts/commands/decode.ts";
import { relayerCommand } from "../../scripts/commands/relayer.ts";
import { deployCommand } from "../../scripts/deploy/command.ts";
import { runHere } from "../support/command.ts";
import { emptyDatabase } from "../support/database.ts";
import type { EngineDatabase } from "../support/engine-database.ts";
import { content } from "../support/envelope.ts";
import { FEES } from "../support/fees.ts";
import { type RemoteChain, startRemoteChain } from "../support/remote-chain.ts";
import { ROUTES, startServer, type TestServer } from "../support/server.ts";

const CHAIN_ID = 7326;
const ROW = "(string tabname, uint256 rowid, bytes rowdata, bool comp, string signature)";
const ABI = new Interface([
  `function insert${ROW}`,
  "function grantRole(bytes32 role, address account)",
  "function enroll(address account, uint8 scope)",
]);
const FORMER = JSON.parse(readFileSync(join(import.meta.dirname, "../vectors/former-contracts/0.1.json"), "utf8"));

describe("contracts before version 0.2", function () {
  let chain: RemoteChain;
  let database: EngineDatabase;
  let server: TestServer | undefined;
  let administrator: Wallet;
  let sender: Wallet;
  let formerTable: string;
  let transaction: string;

  const variables = () => ({ ...chain.variables, DATABASE_URL: database.url });
  const stopped = async (): Promise<void> => {
    const running = server;
    server = undefined;
    await running?.stop("keep");
  };
  const start = async (changes: EnvironmentVariables = {}): Promise<TestServer> => {
    await stopped();
    return (server = await startServer({ ...variables(), ...changes }, { directory: chain.directory }));
  };
  const send = async (data: string, to?: string): Promise<{ hash: string; nonce: number; block: number }> => {
    const rpc = connectRpc(chain.url, CHAIN_ID);
    try {
      return await sendAdministratorCall(rpc, administrator, { ...(to === undefined ? {} : { to }), data, fees: FEES });
    } finally {
      rpc.close();
    }
  };
  const deployFormer = async (name: string, ...args: unknown[]): Promise<string> => {
    const { creation, constructor: types } = FORMER[name];
    const { nonce } = await send(concat([creation, AbiCoder.defaultAbiCoder().encode(types, args)]));
    return getCreateAddress({ from: administrator.address, nonce });
  };
  const file = (): string => deploymentFile(chain.directory, CHAIN_ID);
  const former = (): string => join(chain.directory, "former.json");
  const current = (): string => join(chain.directory, "current.json");

  before(async () => {
    chain = await startRemoteChain();
    database = await emptyDatabase("sqlite");
    administrator = new Wallet(chain.variables.ADMIN_KEY ?? "");
    sender = new Wallet(Wallet.createRandom().privateKey);
    const { address: admin } = administrator;
    const registry = await deployFormer("SessionRegistry", admin, chain.relayer, 3600, 15);
    formerTable = await deployFormer("EventTable", registry, admin, admin);
    await send(ABI.encodeFunctionData("enroll", [sender.address, 2]), registry);
    const payload = Buffer.from('{"value":1.0}').toString("base64");
    const rowdata = Buffer.from(`1|${sender.address}|former|Mon, 05 Jan 2026 00:00:00 GMT|${payload}|t|1`);
    const row = ["events", 1, rowdata, false, await sender.signMessage(rowdata)];
    transaction = (await send(ABI.encodeFunctionData("insert", row), formerTable)).hash;
    await copyFile(file(), current());
    const deployment = JSON.parse(readFileSync(current(), "utf8"));
    const contracts = { ...deployment.contracts, SessionRegistry: registry, EventTable: formerTable };
    await writeFile(former(), JSON.stringify({ chainId: CHAIN_ID, firstBlock: 1, contracts }));
    await copyFile(former(), file());
  });
  after(async () => {
    await stopped();
    await chain.close();
    await database.remove();
  });

  it("stop a start, which says what to do", async () => {
    const reason = await start().then(
      () => assert.fail("it starts"),
      (error: unknown) => String(error),
    );
    assert.match(reason, /SessionRegistry at 0x\w{40} of .*7326\.json is of an earlier version: deploy .* anew/);
    assert.include(reason, "NEW_CONTRACTS=yes");
  });

  it("stop a deployment, which says the same", async () => {
    const { code, err } = await runHere(deployCommand, { ...variables(), DATA_DIR: chain.directory }, []);
    assert.equal(code, 1);
    assert.match(err, /is of an earlier version/);
  });

  it("keep their rows in searches, decoded as rows that are bound to no place", async () => {
    await copyFile(current(), file());
    await start({ NEW_CONTRACTS: "yes" });
    await stopped();
    // As the journal of a server has it that used the former contracts.
    const journal = await openDatabase(database.connect());
    await journal
      .insertInto("indexed_tables")
      .values({ contract: formerTable, name: "events", first_block: 1, is_current: 0 })
      .execute();
    await journal.deleteFrom("index_progress").execute();
    await journal.destroy();
    const running = await start();
    const account = (await running.context.accounts?.create("full")) ?? assert.fail("there is no administrator");
    const token = await running.login(account);
    const search = { search: { target: "1", value: "former", locations: true } };
    const { tparams } = content(await running.call(ROUTES.search, { token }, search), ROUTES.search);
    assert.deepEqual(tparams.locations[0].tx_hash, transaction);
    const { out, code } = await runHere(decodeCommand, {}, ["--tx", transaction, "--rpc", chain.url, "--json"]);
    assert.equal(code, 0);
    const { checks, chain: found } = JSON.parse(out);
    assert.deepEqual([checks.passed, checks.binding, checks.signer], [true, "none", sender.address]);
    assert.deepEqual([found.state, found.wrote, found.contract], ["current", null, formerTable]);
  });

  it("lose their relayers by the command", async () => {
    const folder = join(chain.directory, "former");
    await mkdir(join(folder, "deployments"), { recursive: true });
    await copyFile(former(), deploymentFile(folder, CHAIN_ID));
    const revoke = () =>
      runHere(relayerCommand, { ...chain.variables, DATA_DIR: folder }, ["revoke", chain.relayer, "--force", "--json"]);
    const { code, out, err } = await revoke();
    assert.deepEqual([code, err], [0, ""]);
    assert.equal(JSON.parse(out).contracts.SessionRegistry, "revoked");
  });
});
