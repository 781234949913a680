import { assert } from "chai";
import {
  startEmbeddedChain,
  type EmbeddedChain,
  connectInProcess,
} from "../../../../server/chain/embedded/embedded-chain.ts";
import { connectRpc } from "../../../../server/chain/rpc/connect.ts";
import { NodeError } from "../../../../server/chain/rpc/node-error.ts";
import type { Rpc } from "../../../../server/chain/rpc/rpc.ts";
import { removeDirectory, temporaryDirectory } from "../../../support/directory.ts";
import { Account, CHAIN_ID } from "../embedded/support.ts";
import { failure, refused, unavailable } from "./failures.ts";

describe("JSON-RPC with the embedded chain in the same process", () => {
  let directory: string;
  let chain: EmbeddedChain;
  let near: Rpc;
  let far: Rpc;
  before(async () => {
    directory = await temporaryDirectory();
    chain = await startEmbeddedChain({ directory, port: 0, blockPeriodSeconds: 0, chainId: CHAIN_ID });
    near = connectInProcess(chain);
    far = connectRpc(chain.url, CHAIN_ID);
  });
  after(async () => {
    near.close();
    far.close();
    await chain.stop();
    await removeDirectory(directory);
  });

  it("responds as over HTTP", async () => {
    const account = new Account();
    const hash = await near.call("eth_sendRawTransaction", [await account.deploy()]);
    const receipt = ["eth_getTransactionReceipt", [hash]] as const;
    while ((await far.call(...receipt)) === null);
    const calls = [
      receipt,
      ["eth_chainId", []],
      ["eth_blockNumber", []],
      ["eth_accounts", []],
      ["eth_gasPrice", []],
      ["eth_getBlockByNumber", ["latest", true]],
      ["eth_getBlockByNumber", ["0xffffff", false]],
      ["eth_getBlockReceipts", ["0x1"]],
      ["eth_getTransactionReceipt", [`0x${"00".repeat(32)}`]],
      ["eth_getLogs", [{ fromBlock: "0x0" }]],
      ["eth_getCode", [account.recorder, "latest"]],
    ] as const;
    for (const [method, parameters] of calls) {
      assert.deepEqual(await near.call(method, parameters), await far.call(method, parameters), method);
    }
    assert.equal(near.chainId, CHAIN_ID);
  });

  it("rejects as over HTTP", async () => {
    const calls = [
      ["eth_getBlockByNumber", ["nonsense", 1]],
      // Creation code that reverts with four bytes.
      ["eth_call", [{ data: "0x63deadbeef60e01b60005260046000fd" }, "latest"]],
    ] as const;
    for (const [method, parameters] of calls) {
      const [here, there] = [await refused(near.call(method, parameters)), await refused(far.call(method, parameters))];
      assert.deepEqual([here.message, here.code, here.data], [there.message, there.code, there.data]);
    }
    assert.equal((await refused(near.call("eth_call", calls[1][1]))).data, "0xdeadbeef");
  });

  it("fails the calls in flight on close, and all later calls", async () => {
    const rpc = connectInProcess({ chainId: 1, request: () => new Promise(() => undefined) });
    const hanging = unavailable(rpc.call("a", []));
    rpc.close();
    assert.include(await hanging, "closed");
    assert.include(await unavailable(rpc.call("a", [])), "closed");
  });

  it("does not respond for a chain that was stopped", async () => {
    const other = await temporaryDirectory();
    const stopped = await startEmbeddedChain({ directory: other, port: 0, blockPeriodSeconds: 0, chainId: CHAIN_ID });
    const rpc = connectInProcess(stopped);
    await stopped.stop();
    assert.notInstanceOf(await failure(rpc.call("eth_chainId", [])), NodeError);
    await unavailable(rpc.call("eth_chainId", []));
    await removeDirectory(other);
  });
});
