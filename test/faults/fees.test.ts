import { assert } from "chai";
import { Interface, Transaction } from "ethers";
import { accountCommand } from "../../scripts/commands/account.ts";
import { runHere } from "../support/command.ts";
import { content } from "../support/envelope.ts";
import { eventually } from "../support/eventually.ts";
import { assertExactlyOnce, freshDocuments, type ProofRequest } from "../support/exactly-once.ts";
import { type Fate, only, SEND } from "../support/faulty-proxy.ts";
import { type FeeChain, startFeeChain } from "../support/fee-chain.ts";
import type { ParsedJson } from "../support/parsed-json.ts";
import { type ServerProcess, startProcess } from "../support/process.ts";
import { type RemoteChain, startRemoteChain } from "../support/remote-chain.ts";
import { allTransactions, rpcCall } from "../support/rpc.ts";
import { FAST_RECHECK, type Login, ROUTES } from "../support/server.ts";

const GWEI = 10n ** 9n;
const INSERT = new Interface([
  "function insert(string tabname, uint256 rowid, bytes rowdata, bool comp, string signature)",
]);

describe("a chain whose base fee rises tenfold and falls again", () => {
  let node: FeeChain;
  let chain: RemoteChain;
  let server: ServerProcess;
  let account: Login;
  const documents: ProofRequest[] = [];
  const stored = new Map<string, number>();
  const unacknowledged = new Set<string>();

  const start = async (): Promise<void> => {
    server = await startProcess(
      chain.directory,
      { ...chain.variables, PROOF_WAIT: "1", BATCH_MAX_AGE: "1", SESSION_LIFETIME: "3600" },
      { ...FAST_RECHECK, nodeIntervalMilliseconds: 300, settings: { sessions: { rate: 1_000 } } },
    );
  };
  const kill = async (): Promise<void> => {
    assert.equal((await server.end("SIGKILL")).signal, "SIGKILL");
  };
  const store = async (token: string, code: string): Promise<void> => {
    unacknowledged.add(code);
    const response = await server
      .call(ROUTES.store, { token }, { code, topic: "fees", payload: { code } })
      .catch(() => undefined);
    if (response === undefined) return;
    stored.set(code, content(response, ROUTES.store).chainid);
    unacknowledged.delete(code);
  };
  const parsed = new Map<string, Transaction>();
  const parse = (raw: string): Transaction => {
    const known = parsed.get(raw) ?? Transaction.from(raw);
    parsed.set(raw, known);
    return known;
  };
  const delivered = (): Transaction[] => chain.proxy.delivered.map(parse);
  /** Number of different transactions that the node has got. */
  const deliveries = (): number => new Set(chain.proxy.delivered).size;
  /** Whether the server signed a cheaper one with its nonce before. */
  const isReplacement = (raw: string): boolean => {
    const { nonce } = parse(raw);
    return chain.proxy.attempted.find((each) => parse(each).nonce === nonce) !== raw;
  };
  /** Handles each replacement; anything else passes. */
  const onReplacement = (fate: (raw: string) => Fate | Promise<Fate>): void => {
    chain.proxy.intercept = only([SEND], ({ params }) =>
      isReplacement(String(params[0])) ? fate(String(params[0])) : "pass",
    );
  };
  /** Number of the relayer's mined transactions. */
  const count = async () => Number(await rpcCall(chain.url, "eth_getTransactionCount", chain.relayer, "latest"));
  /** The relayer's transactions that wait for a block. */
  const pool = async (): Promise<ParsedJson[]> => {
    const senders = Object.entries<ParsedJson>((await rpcCall(chain.url, "txpool_content")).pending);
    return senders.flatMap(([sender, byNonce]) =>
      sender.toLowerCase() === chain.relayer.toLowerCase() ? Object.values<ParsedJson>(byNonce) : [],
    );
  };
  const settled = (): Promise<void> =>
    eventually(async () => {
      const { body } = await server.get("/api/v1/status");
      assert.deepEqual([body.journal.pending, body.relayer.in_flight], [0, 0], JSON.stringify(body.relayer));
    });

  /** Accepts 250 proofs and 25 records, none of which is in a block yet when the base fee has risen tenfold. */
  const fill = async (): Promise<{ readonly records: Promise<unknown> }> => {
    chain.proxy.mode = "pass";
    node.baseFee = GWEI;
    await node.start();
    const token = await server.login(account);
    await node.pause();
    const before = deliveries();
    const records = Promise.all(
      Array.from({ length: 25 }, () => store(token, `code ${unacknowledged.size + stored.size}`)),
    );
    for (let batch = 0; batch < 5; batch += 1) {
      const fresh = freshDocuments(50);
      documents.push(...fresh);
      const { status, text } = await server.post("/api/v1/proof/batch", { documents: fresh });
      assert.equal(status, 202, text);
    }
    await eventually(async () => assert.isAtLeast(deliveries(), before + 26));
    node.baseFee = 10n * GWEI;
    return { records };
  };
  /** Makes the base fee felt, and waits until a step of a replacement. */
  const until = async (isReached: () => boolean): Promise<void> => {
    await node.start();
    await eventually(async () => assert.isTrue(isReached()));
  };

  before(async () => {
    chain = await startRemoteChain(async () => (node = await startFeeChain()));
    await node.start();
    const { out, err } = await runHere(accountCommand, { ...chain.variables, DATA_DIR: chain.directory }, [
      "create",
      "--json",
    ]);
    assert.isNotEmpty(out, err);
    account = JSON.parse(out) as Login;
    await start();
  });
  after(async () => {
    await server?.end("SIGTERM");
    await chain?.close();
  });

  it("replaces what is too cheap, killed when the replacement is on disk and not sent", async () => {
    const { records } = await fill();
    let isReached = false;
    onReplacement(() => {
      isReached = true;
      return "cut";
    });
    await until(() => isReached);
    await kill();
    await records;
    await start();
    chain.proxy.mode = "pass";
    await settled();
  });

  it("continues, killed when the node has the replacement and its response is lost", async () => {
    const { records } = await fill();
    let isReached = false;
    await node.pause();
    await node.mine();
    onReplacement(() => {
      isReached = true;
      return "deaf";
    });
    await eventually(async () => assert.isTrue(isReached));
    await kill();
    await records;
    await start();
    await node.start();
    await settled();
  });

  it("continues, killed when the replacement is in a block and its outcome is not on disk", async () => {
    const { records } = await fill();
    await node.mine();
    await eventually(async () => {
      const fees = (await pool()).map(({ maxFeePerGas }) => BigInt(maxFeePerGas));
      assert.isNotEmpty(fees);
      for (const fee of fees) assert.isTrue(fee > node.baseFee);
    });
    // The server reads no further block.
    chain.proxy.mode = "off";
    const mined = await count();
    await node.mine();
    assert.isAbove(await count(), mined);
    await kill();
    await records;
    chain.proxy.mode = "pass";
    await start();
    await node.start();
    await settled();
  });

  it("takes the first version as the outcome when the base fee falls before the replacement arrives", async () => {
    const { records } = await fill();
    const lost: Transaction[] = [];
    onReplacement((raw) => {
      lost.push(parse(raw));
      return { result: parse(raw).hash };
    });
    await node.mine();
    await eventually(async () =>
      assert.include(
        lost.map(({ nonce }) => nonce),
        await count(),
      ),
    );
    await kill();
    await records;
    const mined = await count();
    node.baseFee = GWEI;
    await node.start();
    await eventually(async () => {
      const nonce = await count();
      // Another node has kept the first version.
      const first = chain.proxy.delivered.find((raw) => parse(raw).nonce === nonce) ?? assert.fail();
      if (nonce === mined) await rpcCall(chain.url, "eth_sendRawTransaction", first).catch(() => undefined);
      assert.isAbove(nonce, mined);
    });
    chain.proxy.mode = "pass";
    await start();
    await settled();
  });

  it("has all of it on chain once", async () => {
    assert.lengthOf(documents, 1_000);
    await assertExactlyOnce(server, chain.url, { accepted: documents });
    const all = await allTransactions(chain.url);
    const rows = all.filter(({ input }) => input.startsWith(INSERT.getFunction("insert")?.selector ?? "-"));
    const ids = rows.map(({ input }) => Number(INSERT.decodeFunctionData("insert", input).getValue("rowid")));
    assert.lengthOf(new Set(ids), ids.length, "no row is written twice");
    assert.includeMembers(ids, [...stored.values()]);
    assert.lengthOf([...stored.keys(), ...unacknowledged], 100);
    const token = await server.login(account);
    const { events } = content(
      await server.call(ROUTES.search, { token }, { search: { target: "1", value: "*", limit: 1_000 } }),
      ROUTES.search,
    ).tparams;
    const codes = events.map(([, code]: string[]) => code);
    assert.lengthOf(new Set(codes), codes.length);
    assert.includeMembers(codes, [...stored.keys()]);
    // Every record that was accepted is stored, also those whose response the kill cut off.
    assert.lengthOf(codes, ids.length);
    assert.isAbove(
      new Set(
        delivered()
          .filter(({ type }) => type === 2)
          .map(({ hash }) => hash),
      ).size,
      100,
    );
  });

  it("shows balance and fee, and raises an alert before the money is gone", async () => {
    const status = async () => (await server.get("/api/v1/status")).body;
    const { balance, fee } = (await status()).relayer;
    assert.isAbove(Number(balance), 0);
    assert.deepInclude(fee, { kind: "eip1559", limit: "200000000000" });
    assert.equal(BigInt(fee.max), 2n * BigInt(fee.base_fee) + BigInt(fee.tip));
    await rpcCall(chain.url, "anvil_setBalance", chain.relayer, "0x2386f26fc10000");
    const alert = async (kind: string) =>
      (await server.get("/api/v1/alerts")).body.alerts.find(({ alert: found }: { alert: string }) => found === kind);
    await eventually(async () => {
      const low = await alert("low_balance");
      assert.include(low?.message, chain.relayer);
      assert.include(low?.message, "fund it");
    });
    node.baseFee = 1_000n * GWEI;
    await eventually(async () => {
      const { problems, status: state } = await status();
      assert.equal(state, "degraded");
      assert.match(problems[0]?.reason, /^MAX_FEE is 200 gwei but the chain asks for 1000 gwei/);
      assert.match((await alert("degraded_performance"))?.message, /^MAX_FEE/);
    });
  });
});
