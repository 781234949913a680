import { assert } from "chai";
import { Wallet } from "ethers";
import { watchHead } from "../../../../server/chain/node/head-watcher.ts";
import { fetchChainId, connectRpc } from "../../../../server/chain/rpc/connect.ts";
import type { Rpc } from "../../../../server/chain/rpc/rpc.ts";
import { eventually } from "../../../support/eventually.ts";
import { type RawAnvil, startRawAnvil } from "../../../support/raw-anvil.ts";
import { refused } from "./failures.ts";

describe("JSON-RPC with a real node", () => {
  let anvil: RawAnvil;
  before(async () => {
    anvil = await startRawAnvil();
  });
  after(() => anvil.stop());

  for (const transport of ["http", "webSocket", "ipc"] as const) {
    describe(`over ${transport}`, () => {
      let rpc: Rpc;
      before(() => {
        rpc = connectRpc(anvil[transport], anvil.chainId);
      });
      after(() => rpc.close());

      it("sends concurrent calls", async () => {
        assert.equal(await fetchChainId(anvil[transport]), anvil.chainId);
        const calls = Array.from({ length: 300 }, (_, n) =>
          rpc.call("eth_getBalance", [`0x${n.toString(16).padStart(40, "0")}`, "latest"]),
        );
        assert.lengthOf(
          (await Promise.all(calls)).filter((balance) => balance === "0x0"),
          300,
        );
      });

      it("sends and receives large and non-ASCII data", async () => {
        const data = `0x${"5e".repeat(60_000)}`;
        const wallet = Wallet.createRandom();
        const raw = await wallet.signTransaction({
          type: 0,
          chainId: anvil.chainId,
          nonce: 0,
          gasPrice: 0n,
          gasLimit: 5_000_000n,
          to: wallet.address,
          data,
        });
        const hash = await rpc.call("eth_sendRawTransaction", [raw]);
        const found = await eventually(async () => {
          const mined = await rpc.call("eth_getTransactionByHash", [hash]);
          return typeof mined === "object" && mined !== null && "input" in mined ? mined.input : assert.fail();
        });
        assert.equal(found, data);
        await refused(rpc.call("eth_nö_such_method", []));
      });

      it("returns the node's errors, with the revert data of a contract", async () => {
        // Its only code reverts with four bytes.
        const code = "0x63deadbeef60e01b5f5260045ffd";
        const to = Wallet.createRandom().address;
        await rpc.call("anvil_setCode", [to, code]);
        const { data, code: number } = await refused(rpc.call("eth_call", [{ to, data: "0x" }, "latest"]));
        assert.equal(data, "0xdeadbeef");
        assert.isNumber(number);
      });

      it("receives every block", async () => {
        const heads: number[] = [];
        // Without a notification it would not poll in time.
        const interval = rpc.subscribe === undefined ? 20 : 600_000;
        const watcher = watchHead(rpc, interval, () => undefined, 600_000);
        watcher.subscribe((head) => heads.push(head.number));
        watcher.start();
        const first = await eventually(async () => heads[0] ?? assert.fail());
        for (let n = 0; n < 5; n += 1) {
          await rpc.call("evm_mine", []);
          await eventually(async () => assert.equal(heads.at(-1), first + n + 1));
        }
        assert.deepEqual(
          heads,
          [0, 1, 2, 3, 4, 5].map((n) => first + n),
        );
        watcher.stop();
      });
    });
  }
});
