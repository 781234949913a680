import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { assert } from "chai";
import { getCreateAddress, id, Wallet, zeroPadValue } from "ethers";
import { INTERFACES } from "../../server/chain/contracts/interfaces.ts";
import { decodeCallData, encodeCallData } from "../../server/records/call-data.ts";
import { content } from "../support/envelope.ts";
import { type Fate, only } from "../support/faulty-proxy.ts";
import type { ParsedJson } from "../support/parsed-json.ts";
import { type RemoteChain, startRemoteChain } from "../support/remote-chain.ts";
import { rpcCall } from "../support/rpc.ts";
import { SEALBOOK } from "../support/sealbook.ts";
import { ROUTES, startServer } from "../support/server.ts";
import { SURROUNDINGS } from "../support/surroundings.ts";
import type { Outcome } from "./proofs-support.ts";
import { eventually } from "../support/eventually.ts";

/** Returns the data that deploy a contract with this code. */
const creationOf = (code: string): string => {
  const length = (code.length / 2).toString(16).padStart(2, "0");
  return `0x60${length}80600b6000396000f3${code}`;
};
/** A contract that calls the address in the first word of its input with the rest of it. */
const FORWARDER = creationOf("36602090038060206000376000600082600060006000355af100");
/** A contract that logs the first word of its input as a topic, without anything else. */
const LOGGER = creationOf("60003560006000a100");
const ROW_WRITTEN = INTERFACES.EventTable.getEvent("RowWritten").topicHash;

describe("decode script with rows that contracts wrote, and a node that cannot be queried", () => {
  let chain: RemoteChain;
  let table: string;
  let stored: ParsedJson;
  let forwarded: string;

  /** Sends a transaction of a key without money, on a chain without fees; returns its hash. */
  const send = async (wallet: Wallet, to: string | null, data: string): Promise<string> => {
    const nonce = Number(await rpcCall(chain.url, "eth_getTransactionCount", wallet.address, "latest"));
    const raw = await wallet.signTransaction({ to, data, nonce, chainId: 7326, gasPrice: 0, gasLimit: 5_000_000 });
    const hash: string = await rpcCall(chain.url, "eth_sendRawTransaction", raw);
    await eventually(async () =>
      assert.equal((await rpcCall(chain.url, "eth_getTransactionReceipt", hash))?.status, "0x1"),
    );
    return hash;
  };
  const create = async (code: string): Promise<{ wallet: Wallet; address: string }> => {
    const wallet = new Wallet(Wallet.createRandom().privateKey);
    await send(wallet, null, code);
    return { wallet, address: getCreateAddress({ from: wallet.address, nonce: 0 }) };
  };
  const decode = async (...args: readonly string[]): Promise<Outcome> => {
    const child = spawn(process.execPath, [SEALBOOK, "decode", ...args, "--rpc", chain.proxy.url], {
      env: SURROUNDINGS,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const code = new Promise<number | null>((resolve) => child.once("close", resolve));
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { code: await code, out, err };
  };
  const rowsOf = ({ out }: Outcome): ParsedJson[] =>
    out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));

  before(async () => {
    chain = await startRemoteChain();
    const server = await startServer(chain.variables, { directory: chain.directory });
    const account = (await server.context.accounts?.create("full")) ?? assert.fail("no administrator");
    const token = await server.login(account);
    content(await server.call(ROUTES.store, { token }, { code: "c", topic: "t", payload: { v: 1 } }), ROUTES.store);
    const search = { search: { target: "1", value: "c", locations: true } };
    const { tparams } = content(await server.call(ROUTES.search, { token }, search), ROUTES.search);
    await server.stop("keep");
    stored = await rpcCall(chain.url, "eth_getTransactionByHash", tparams.locations[0].tx_hash);
    table = stored.to;
    const { wallet, address } = await create(FORWARDER);
    const role = INTERFACES.EventTable.encodeFunctionData("grantRole", [id("RELAYER_ROLE"), address]);
    await send(new Wallet(chain.variables.ADMIN_KEY ?? ""), table, role);
    const { arguments: args } = decodeCallData(stored.input);
    forwarded = await send(wallet, address, `${zeroPadValue(table, 32)}${encodeCallData("set", args).slice(2)}`);
  });
  after(() => chain.close());
  beforeEach(() => void (chain.proxy.mode = "pass"));

  it("lists the rows of the blocks, each from its call or from its event", async () => {
    for (const named of [[], ["--contract", table]]) {
      const outcome = await decode("--blocks", "0-", "--json", ...named);
      assert.equal(outcome.code, 0, outcome.out + outcome.err);
      const [called, logged, ...others] = rowsOf(outcome);
      assert.isEmpty(others);
      assert.deepEqual([called?.source, called?.function, called?.chain.wrote], [stored.hash, "insert", "first"]);
      assert.deepEqual([logged?.source, logged?.function, logged?.chain.wrote], [forwarded, null, "overwrite"]);
      for (const row of [called, logged]) {
        assert.deepEqual(row?.row.payload, { v: 1 });
        assert.deepEqual([row?.checks.passed, row?.checks.binding, row?.chain.state], [true, "place", "current"]);
      }
    }
    const { out } = await decode("--blocks", "0-");
    assert.match(out, new RegExp(`^${forwarded} passed event current events/1 0x`, "m"));
  });

  // Security, programs: an event that a foreign contract forges neither passes nor ends the audit
  it("leaves out events of other contracts that have no row", async () => {
    const { wallet, address } = await create(LOGGER);
    await send(wallet, address, ROW_WRITTEN);
    const outcome = await decode("--blocks", "0-", "--json");
    assert.equal(outcome.code, 0, outcome.err);
    assert.lengthOf(rowsOf(outcome), 2);
  });

  it("fails and names a block that the node withholds", async () => {
    const number = Number(stored.blockNumber);
    chain.proxy.intercept = ({ method, params: [first] }) =>
      method === "eth_getBlockByNumber" && Number(first) === number ? { result: null } : "pass";
    const { code, err } = await decode("--blocks", "0-");
    assert.equal(code, 3);
    assert.match(
      err,
      new RegExp(`undetermined: the node returns null to eth_getBlockByNumber of block ${number}, but`),
    );
  });

  it("does not take logs of a node that lags for those of the blocks", async () => {
    const head: string = await rpcCall(chain.url, "eth_blockNumber");
    let queries = 0;
    chain.proxy.intercept = ({ method }) => {
      // The first response is that of another node behind the same address.
      if (method === "eth_blockNumber" && (queries += 1) > 1) return { result: `0x${(Number(head) - 2).toString(16)}` };
      return method === "eth_getLogs" ? { result: [] } : "pass";
    };
    const { code, err } = await decode("--blocks", "0-");
    assert.equal(code, 3);
    assert.match(err, /undetermined: the node has blocks to \d+ only, not to \d+/);
  });

  for (const [name, fate] of Object.entries<Fate>({
    "header not found": { error: { code: -32_000, message: "header not found" } },
    "a rate limit": { error: { code: -32_090, message: "call rate limit exhausted" } },
    "a limit as an HTTP status": { status: 429, body: "" },
  }))
    it(`is undetermined when the row cannot be compared with the chain: ${name}`, async () => {
      chain.proxy.intercept = only(["eth_call"], () => fate);
      const { code, out, err } = await decode("--tx", stored.hash);
      assert.equal(code, 3, out + err);
      assert.notMatch(out, /^checks: +passed$/m);
      assert.match(out + err, /undetermined/);
    });

  it("finds no row at an address without code, and does not call it overwritten", async () => {
    const nobody = Wallet.createRandom().address;
    const { code, out } = await decode(stored.input, "--contract", nobody);
    assert.equal(code, 1);
    assert.match(out, /^on chain: +missing$/m);
    chain.proxy.intercept = only(["eth_call"], () => ({ result: "0x" }));
    const empty = await decode(stored.input, "--contract", table);
    assert.match(empty.out, /^on chain: +undetermined$/m);
    assert.equal(empty.code, 3);
    chain.proxy.intercept = only(["eth_call"], () => ({ result: `0x${"00".repeat(32)}` }));
    const zero = await decode(stored.input, "--contract", table);
    assert.match(zero.out, /^on chain: +missing$/m);
    assert.equal(zero.code, 1);
  });

  it("is undetermined when the node lacks the receipt of a mined transaction", async () => {
    chain.proxy.intercept = only(["eth_getTransactionReceipt"], () => ({ result: null }));
    const { code, err } = await decode("--tx", stored.hash);
    assert.equal(code, 3);
    assert.match(err, /undetermined: .*the node does not have the receipt of 0x/);
  });
});
