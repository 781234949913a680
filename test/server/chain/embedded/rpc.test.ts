import { request } from "node:http";
import { expect } from "chai";
import { ContractFactory, JsonRpcProvider, Wallet } from "ethers";
import type { EmbeddedChain } from "../../../../server/chain/embedded/embedded-chain.ts";
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
  const ownAccounts = new Set<string>();
  let chain: EmbeddedChain;
  before(async () => {
    chain = await scene.start(await scene.directory(), { ownAccounts });
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
    ],
  ]) {
    it(`rejects ${method}`, async () => {
      const { code, message } = await failureOf(rpc(chain.url, method));
      expect({ code, message }).to.deep.equal({
        code: -32601,
        message: `${method} is a method not supported by the embedded chain.`,
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
    // For others there are limits, which end before a block is full.
    for (const { wallet } of [one, two]) ownAccounts.add(wallet.address);
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

  it("supports filters", async () => {
    const filter = await rpc(chain.url, "eth_newBlockFilter");
    const account = new Account();
    await mined(chain.url, await send(chain.url, await account.sign()));
    expect(await rpc(chain.url, "eth_getFilterChanges", filter)).to.have.length(1);
    expect(await rpc(chain.url, "eth_uninstallFilter", filter)).to.equal(true);
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
});
