import { readFileSync } from "node:fs";
import { join } from "node:path";
import { assert } from "chai";
import { Contract, getBytes, id, JsonRpcProvider, type LogDescription, Wallet } from "ethers";
import { INTERFACES } from "../../server/chain/contracts/interfaces.ts";
import { content } from "../support/envelope.ts";
import { eventually } from "../support/eventually.ts";
import { ROUTES, startServer, type TestServer } from "../support/server.ts";
import { signRowFor } from "../support/signed-row.ts";

const RELAYER_ROLE = id("RELAYER_ROLE");
const TABLE = "events";
const NO_DEADLINE = 2n ** 64n - 1n;

describe("a stolen key", function () {
  let server: TestServer;
  let provider: JsonRpcProvider;
  let administrator: Wallet;
  /** A key with the relayer's rights, which the server does not have. */
  let relayer: Wallet;
  /** The row that the demo account has stored, as it is on chain. */
  let stored: LogDescription;
  let contracts: Record<keyof typeof INTERFACES, string>;

  const at = (name: keyof typeof INTERFACES, wallet: Wallet): Contract =>
    new Contract(contracts[name], INTERFACES[name], wallet);
  /** The contract's error, when the key calls a function. */
  const refusal = async (
    wallet: Wallet,
    name: keyof typeof INTERFACES,
    call: string,
    ...args: unknown[]
  ): Promise<string> => {
    const error: unknown = await at(name, wallet)
      .getFunction(call)
      .staticCall(...args)
      .catch((reason: unknown) => reason);
    assert.instanceOf(error, Error, `${name}.${call} is refused`);
    const { data } = error as Error & { data?: string };
    return INTERFACES[name].parseError(data ?? "0x")?.name ?? error.message;
  };
  const send = async (
    wallet: Wallet,
    name: keyof typeof INTERFACES,
    call: string,
    ...args: unknown[]
  ): Promise<void> => {
    await (
      await at(name, wallet)
        .getFunction(call)
        .send(...args, { gasPrice: 0, type: 0 })
    ).wait();
  };

  before(async () => {
    server = await startServer({ SESSION_LIFETIME: "3600", CHAIN_PORT_SEND: "on" });
    provider = new JsonRpcProvider(server.chainUrl, undefined, {
      staticNetwork: true,
      pollingInterval: 50,
      cacheTimeout: -1,
    });
    const keys = JSON.parse(readFileSync(join(server.directory, "keys.json"), "utf8"));
    administrator = new Wallet(keys.administrator, provider);
    relayer = Wallet.createRandom(provider) as never;
    contracts = JSON.parse(readFileSync(join(server.directory, "deployments/7325.json"), "utf8")).contracts;
    for (const name of ["SessionRegistry", "EventTable", "ProofAnchor"] as const)
      await send(administrator, name, "grantRole", RELAYER_ROLE, relayer.address);
    const token = await server.login();
    await server.call(ROUTES.store, { token }, { code: "station", topic: "t", payload: { value: 1 } });
    const [log] = await provider.getLogs({
      address: contracts.EventTable,
      topics: [INTERFACES.EventTable.getEvent("RowWritten").topicHash],
      fromBlock: 0,
    });
    stored = (log && INTERFACES.EventTable.parseLog(log)) ?? assert.fail("there is no row");
  });
  after(async () => {
    provider.destroy();
    await server.stop();
  });

  const row = (): { rowdata: string; comp: boolean; signature: string } => ({
    rowdata: stored.args.getValue("rowdata"),
    comp: stored.args.getValue("comp"),
    signature: stored.args.getValue("signature"),
  });

  const signed = (wallet: Wallet, rowId: number, rowdata: string, comp: boolean): Promise<string> =>
    signRowFor(server.chainUrl, contracts.EventTable, wallet, [TABLE, BigInt(rowId), getBytes(rowdata), comp]);

  // Security, relayer key: cannot write in an account's name, nor open a session for it
  it("of the relayer writes no record in an account's name, and opens no session of it", async () => {
    const { rowdata, comp } = row();
    const own = await signed(relayer, 99, rowdata, comp);
    for (const call of ["insert", "set"])
      assert.equal(await refusal(relayer, "EventTable", call, TABLE, 99, rowdata, comp, own), "SignerNotEnrolled");
    const changed = `${rowdata.slice(0, -2)}00`;
    assert.equal(
      await refusal(relayer, "EventTable", "insert", TABLE, 99, changed, comp, row().signature),
      "SignerNotEnrolled",
    );
    const tokenHash = id("a token");
    const digest: string = await at("SessionRegistry", relayer)
      .getFunction("openingDigest")
      .staticCall(server.demo.login, tokenHash, NO_DEADLINE);
    const forged = await relayer.signMessage(getBytes(digest));
    assert.equal(
      await refusal(relayer, "SessionRegistry", "open", server.demo.login, tokenHash, NO_DEADLINE, forged),
      "WrongSigner",
    );
  });

  // Security, relayer key: cannot grant or revoke rights
  it("of the relayer enrols no account, grants no role, and changes no setting", async () => {
    const calls = [
      ["SessionRegistry", "enroll", relayer.address, 2],
      ["SessionRegistry", "revoke", server.demo.login],
      ["SessionRegistry", "setLifetime", 9_999, 1],
      ...(["SessionRegistry", "EventTable", "ProofAnchor"] as const).map(
        (name) => [name, "grantRole", RELAYER_ROLE, administrator.address] as const,
      ),
      ...(["SessionRegistry", "EventTable", "ProofAnchor"] as const).map(
        (name) => [name, "revokeRole", RELAYER_ROLE, relayer.address] as const,
      ),
    ] as const;
    for (const [name, call, ...args] of calls)
      assert.equal(await refusal(relayer, name, call, ...args), "AccessControlUnauthorizedAccount", call);
  });

  // Security, relayer key: can repeat a signed row on chain only in its own place
  it("of the relayer can repeat an account's signed row only under the same number in the same table", async () => {
    const { rowdata, comp, signature } = row();
    for (const [table, rowId] of [
      [TABLE, 77],
      ["another", 1],
    ] as const)
      assert.equal(
        await refusal(relayer, "EventTable", "set", table, rowId, rowdata, comp, signature),
        "SignerNotEnrolled",
      );
    await send(relayer, "EventTable", "set", TABLE, 1, rowdata, comp, signature);
    const token = await server.login();
    const found = content(
      await server.call(ROUTES.search, { token }, { search: { target: "1", value: "station" } }),
      ROUTES.search,
    );
    assert.lengthOf(found.tparams.events, 1);
  });

  // Security, relayer key: can anchor any hash, but not backdate one
  it("of the relayer can anchor any hash, but not in the past", async () => {
    const { body } = await server.post("/api/v1/proof", { document_id: "d", hash: "ab".repeat(32) });
    const hash = `0x${body.proof.record_hash}`;
    const first: unknown = await at("ProofAnchor", relayer).getFunction("anchor").staticCall(hash);
    await send(relayer, "ProofAnchor", "anchor", hash);
    assert.deepEqual(await at("ProofAnchor", relayer).getFunction("anchor").staticCall(hash), first);
    const before = (await provider.getBlock("latest"))?.timestamp ?? 0;
    await send(relayer, "ProofAnchor", "anchor", id("another"));
    const logs = await provider.getLogs({ address: contracts.ProofAnchor, fromBlock: "latest" });
    assert.lengthOf(logs, 1);
    assert.isAtLeast((await provider.getBlock(logs[0]?.blockNumber ?? 0))?.timestamp ?? 0, before);
  });

  // Security, administrator key: cannot write in an account's name
  it("of the administrator writes no record in an account's name, with any role", async () => {
    const { rowdata, comp } = row();
    const own = await signed(administrator, 99, rowdata, comp);
    assert.equal(
      await refusal(administrator, "EventTable", "insert", TABLE, 99, rowdata, comp, own),
      "AccessControlUnauthorizedAccount",
    );
    await send(administrator, "EventTable", "grantRole", RELAYER_ROLE, administrator.address);
    assert.equal(
      await refusal(administrator, "EventTable", "insert", TABLE, 99, rowdata, comp, own),
      "SignerNotEnrolled",
    );
    // Enrolled itself, its rows are its own: what names another sender is no record.
    await send(administrator, "SessionRegistry", "enroll", administrator.address, 2);
    const placed = await signed(administrator, 1_000, rowdata, comp);
    await send(administrator, "EventTable", "insert", TABLE, 1_000, rowdata, comp, placed);
    await eventually(async () =>
      assert.isTrue(
        server.log.some((line) => line.includes("a row on chain is not a record") && line.includes('"1000"')),
      ),
    );
  });
});
