import { request } from "node:http";
import { assert, expect } from "chai";
import { ContractFactory, JsonRpcProvider, type Log, Wallet } from "ethers";
import type { EmbeddedChain } from "../../../../server/chain/embedded/embedded-chain.ts";
import { connectRpc } from "../../../../server/chain/rpc/connect.ts";
import { eventually } from "../../../support/eventually.ts";
import {
  Account,
  block,
  CHAIN_ID,
  failureOf,
  height,
  mined,
  post,
  RECORDER_CODE,
  rpc,
  Scene,
  send,
} from "./support.ts";

/** Uses up all gas it gets. */
const BURN = { to: null, data: "0x5b600056" };

describe("JSON-RPC port of the embedded chain", () => {
  const scene = new Scene();
  let chain: EmbeddedChain;
  before(async () => {
    chain = await scene.start(await scene.directory());
  });
  after(() => scene.end());

  for (const method of [
    ...[
      "evm_mine",
      "evm_setNextBlockTimestamp",
      "evm_increaseTime",
      "evm_snapshot",
      "evm_revert",
      "evm_setAutomine",
      "anvil_mine",
      "anvil_reset",
    ],
    ...[
      "anvil_setBalance",
      "anvil_dumpState",
      "anvil_loadState",
      "anvil_dropTransaction",
      "hardhat_setStorageAt",
      "hardhat_impersonateAccount",
    ],
    ...[
      "eth_sendTransaction",
      "eth_sendUnsignedTransaction",
      "eth_sign",
      "eth_signTransaction",
      "personal_sign",
      "miner_start",
      "debug_setHead",
      "admin_addPeer",
      "constructor",
      "eth_newFilter",
      "eth_newBlockFilter",
      "debug_traceCall",
      "txpool_content",
    ],
  ]) {
    it(`rejects ${method}`, async () => {
      const { code, message } = await failureOf(rpc(chain.url, method));
      expect({ code, message }).to.deep.equal({
        code: -32601,
        message: `the method ${method} does not exist on the embedded chain`,
      });
    });
  }

  it("has no accounts and no gas price", async () => {
    expect(await rpc(chain.url, "eth_accounts")).to.deep.equal([]);
    expect(await rpc(chain.url, "eth_gasPrice")).to.equal("0x0");
    expect(await rpc(chain.url, "eth_maxPriorityFeePerGas")).to.equal("0x0");
    expect(Number(await rpc(chain.url, "eth_chainId"))).to.equal(CHAIN_ID);
  });

  // Without a cache: ethers would reuse a nonce queried less than 250 ms ago.
  it("works with ethers, deployment and fees included", async () => {
    const provider = new JsonRpcProvider(chain.url, undefined, { pollingInterval: 20, cacheTimeout: -1 });
    try {
      const wallet = Wallet.createRandom().connect(provider);
      const contract = await new ContractFactory([], RECORDER_CODE, wallet).deploy();
      await contract.waitForDeployment();
      const sent = await wallet.sendTransaction({ to: await contract.getAddress(), data: `0x${"07".repeat(32)}` });
      const receipt = await sent.wait();
      expect(receipt?.status).to.equal(1);
      expect(receipt?.logs).to.have.length(1);
    } finally {
      provider.destroy();
    }
  });

  it("rejects transactions that can never be mined, and puts them in no block", async () => {
    const account = new Account();
    await mined(chain.url, await send(chain.url, await account.deploy()));
    const before = await height(chain.url);
    const bad = [
      await account.sign({ nonce: 0 }),
      await account.sign({ nonce: 1, gasLimit: 20_999n }),
      await account.sign({ nonce: 1, gasLimit: 30_000_001n }),
      await account.sign({ nonce: 1, value: 1n }),
      await account.sign({ nonce: 1, gasPrice: 1n }),
      await account.sign({ nonce: 1, chainId: CHAIN_ID + 1 }),
      await account.wallet.signTransaction({ type: 2, chainId: 1, nonce: 1, gasLimit: 21_000n, to: account.recorder }),
      (await account.sign({ nonce: 1 })).slice(0, -2),
      ...["0x", "0x1", "0xzz", "0xc0", "0x01", "0x02c0", "0x03c0", "0x1234", 7, null],
    ];
    for (const raw of bad) await failureOf(rpc(chain.url, "eth_sendRawTransaction", raw));
    await failureOf(rpc(chain.url, "eth_sendRawTransaction"));
    account.nonce = 1;
    await mined(chain.url, await send(chain.url, await account.record(1)));
    expect(await height(chain.url)).to.equal(before + 1);
    expect((await block(chain.url, "latest")).transactions).to.have.length(1);
  });

  it("accepts transactions of type 1 and 2, and legacy ones without a chain id", async () => {
    const { wallet } = new Account();
    const common = { gasLimit: 30_000n, to: wallet.address };
    await send(
      chain.url,
      await wallet.signTransaction({ ...common, type: 1, chainId: CHAIN_ID, nonce: 0, gasPrice: 0n }),
    );
    await send(
      chain.url,
      await wallet.signTransaction({
        ...common,
        type: 2,
        chainId: CHAIN_ID,
        nonce: 1,
        maxFeePerGas: 0n,
        maxPriorityFeePerGas: 0n,
      }),
    );
    await mined(
      chain.url,
      await send(chain.url, await wallet.signTransaction({ ...common, type: 0, nonce: 2, gasPrice: 0n })),
    );
  });

  it("distributes transactions that exceed a block to the next ones without loss", async () => {
    const [one, two] = [new Account(), new Account()];
    const raws: string[] = [];
    for (let round = 0; round < 4; round += 1) {
      raws.push(await one.sign({ ...BURN, gasLimit: 12_000_000n }), await one.sign({ gasLimit: 21_000n }));
      raws.push(await two.sign({ ...BURN, gasLimit: 20_000_000n }), await two.sign({ gasLimit: 21_000n }));
    }
    const hashes = await Promise.all(raws.map((raw) => send(chain.url, raw)));
    for (const hash of hashes) await mined(chain.url, hash);
  });

  it("has block times that neither exceed the clock nor decrease", async () => {
    const account = new Account();
    const from = await height(chain.url);
    for (let count = 0; count < 20; count += 1) await mined(chain.url, await send(chain.url, await account.sign()));
    const until = await height(chain.url);
    expect(until).to.be.at.least(from + 20);
    let last = 0;
    for (let number = from; number <= until; number += 1) {
      const time = Number((await block(chain.url, number)).timestamp);
      expect(time).to.be.at.least(last);
      last = time;
    }
    expect(last).to.be.at.most(Date.now() / 1000);
  });

  it("responds to batches in order, including errors", async () => {
    const responses = await post(chain.url, [
      { jsonrpc: "2.0", id: 1, method: "eth_accounts" },
      { jsonrpc: "2.0", id: "two", method: "evm_mine" },
      { jsonrpc: "2.0", method: "eth_accounts" },
      7,
    ]);
    expect(responses).to.have.length(3);
    expect(responses).to.have.nested.property("[0].result").that.deep.equals([]);
    expect(responses).to.have.nested.property("[1].error.code", -32601);
    expect(responses).to.have.nested.property("[2].error.code", -32600);
    expect(await post(chain.url, [])).to.have.nested.property("error.code", -32600);
  });

  it("emits the events of a contract to a listener of ethers, although it keeps no filters", async () => {
    const provider = new JsonRpcProvider(chain.url, undefined, { pollingInterval: 20, cacheTimeout: -1 });
    try {
      const account = new Account();
      await mined(chain.url, await send(chain.url, await account.deploy()));
      const heard: string[] = [];
      await provider.on({ address: account.recorder }, ({ address }: Log) => void heard.push(address));
      await eventually(async () => {
        await send(chain.url, await account.record(account.nonce));
        assert.include(heard, account.recorder);
      });
    } finally {
      provider.destroy();
    }
  });

  const status = (method: string, headers: Record<string, string>, body = ""): Promise<number> =>
    new Promise((resolve, reject) => {
      const sent = request(
        chain.url,
        { method, headers: { "content-length": String(Buffer.byteLength(body)), ...headers } },
        (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        },
      );
      sent.on("error", reject);
      sent.end(body);
    });
  const json = { "content-type": "application/json" };
  const chainIdRequest = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_chainId" });

  it("accepts only requests to this machine, in JSON, by POST, of limited size", async () => {
    expect(await status("POST", json, chainIdRequest)).to.equal(200);
    expect(
      await status(
        "POST",
        { "content-type": "application/json; charset=utf-8", host: "localhost:8545" },
        chainIdRequest,
      ),
    ).to.equal(200);
    expect(await status("POST", { ...json, host: "evil.example" }, chainIdRequest)).to.equal(403);
    expect(await status("POST", { ...json, host: "127.0.0.1.evil.example" }, chainIdRequest)).to.equal(403);
    expect(await status("POST", { "content-type": "text/plain" }, chainIdRequest)).to.equal(415);
    expect(await status("POST", {}, chainIdRequest)).to.equal(415);
    expect(await status("GET", json)).to.equal(405);
    expect(
      await status("OPTIONS", { origin: "https://evil.example", "access-control-request-method": "POST" }),
    ).to.equal(405);
    expect(await status("POST", json, "{")).to.equal(400);
    expect(await status("POST", json, `"${"a".repeat(9 * 1024 * 1024)}"`)).to.equal(413);
  });

  it("takes transactions of the owner only, unless it is open for all", async () => {
    const closed = await scene.start(await scene.directory(), { portSends: false });
    const account = new Account();
    const raw = await account.sign();
    const { code, message } = await failureOf(rpc(closed.url, "eth_sendRawTransaction", raw));
    expect(code).to.equal(-32601);
    expect(message).to.contain("CHAIN_PORT_SEND=on");
    const wrong = closed.ownerUrl.replace(/owner:[\w-]{5}/, "owner:wrong");
    for (const [url, isTaken] of [
      [closed.url, false],
      [wrong, false],
      [closed.ownerUrl, true],
    ] as const) {
      const owner = connectRpc(url, CHAIN_ID);
      const sent = await owner.call("eth_sendRawTransaction", [raw]).catch((error: unknown) => error);
      expect(typeof sent === "string", url).to.equal(isTaken);
      expect(await owner.call("eth_chainId", [])).to.equal(`0x${CHAIN_ID.toString(16)}`);
      owner.close();
    }
  });
});
