import { assert } from "chai";
import { Wallet } from "ethers";
import { administratorCommand } from "../../scripts/commands/administrator.ts";
import { deploy, deploymentFile } from "../../server/chain/contracts/deployment.ts";
import { connectRpc } from "../../server/chain/rpc/connect.ts";
import type { Rpc } from "../../server/chain/rpc/rpc.ts";
import { runHere } from "../support/command.ts";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";
import { FEES } from "../support/fees.ts";
import type { ParsedJson } from "../support/parsed-json.ts";
import { type RawAnvil, startRawAnvil } from "../support/raw-anvil.ts";
import type { Outcome } from "./proofs-support.ts";

const CONTRACTS = ["SessionRegistry", "EventTable", "ProofAnchor"];
const DAY = 86_400;

describe("administrator script", () => {
  const [first, second, relayer] = [Wallet.createRandom(), Wallet.createRandom(), Wallet.createRandom()];
  let anvil: RawAnvil;
  let rpc: Rpc;
  let directory: string;

  before(async () => {
    anvil = await startRawAnvil();
    directory = await temporaryDirectory();
    rpc = connectRpc(anvil.http, anvil.chainId);
    await deploy({
      rpc,
      administrator: first,
      relayer: relayer.address,
      lifetime: 60,
      minimumToExtend: 15,
      fees: FEES,
      file: deploymentFile(directory, anvil.chainId),
      onDeployed: () => undefined,
    });
  });
  after(async () => {
    rpc.close();
    await anvil.stop();
    await removeDirectory(directory);
  });

  const run = (key: { readonly privateKey: string } | undefined, ...args: string[]): Promise<Outcome> =>
    runHere(
      administratorCommand,
      { DATA_DIR: directory, RPC_URL: anvil.http, ...(key === undefined ? {} : { ADMIN_KEY: key.privateKey }) },
      args,
    );
  const succeed = async (
    key: { readonly privateKey: string } | undefined,
    ...args: string[]
  ): Promise<ParsedJson[]> => {
    const { code, out, err } = await run(key, ...args, "--json");
    assert.deepEqual({ code, err }, { code: 0, err: "" });
    return JSON.parse(out);
  };
  const fail = async (key: { readonly privateKey: string } | undefined, ...args: string[]): Promise<string> => {
    const { code, out, err } = await run(key, ...args);
    assert.deepEqual([code, out], [1, ""], err);
    return err;
  };
  const head = async (): Promise<number> => Number(await rpc.call("eth_blockNumber", []));
  const wait = async (seconds: number): Promise<void> => {
    await rpc.call("evm_increaseTime", [seconds]);
    await rpc.call("evm_mine", []);
  };
  const administered = (address: string, pending: unknown = null): unknown[] =>
    CONTRACTS.map((contract) => ({ contract, administrator: address, delay_seconds: DAY, pending }));

  it("shows the administrator of each contract, without any key", async () => {
    assert.deepEqual(await succeed(undefined, "show"), administered(first.address));
    const { out } = await run(undefined, "show");
    assert.equal(out, CONTRACTS.map((name) => `${name.padEnd(16)} ${first.address}  delay ${DAY} s\n`).join(""));
  });

  it("proposes a new administrator, once", async () => {
    const proposed = await succeed(first, "transfer", second.address.toLowerCase());
    for (const { administrator, pending } of proposed) {
      assert.deepEqual([administrator, pending.to], [first.address, second.address]);
      assert.isAbove(pending.acceptable_after, DAY);
    }
    const before = await head();
    await succeed(first, "transfer", second.address);
    assert.equal(await head(), before, "nothing was sent");
    assert.match((await run(undefined, "show")).out, /^ {2}pending: 0x\w{40}, after \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/m);
  });

  it("cancels a proposal", async () => {
    assert.deepEqual(await succeed(first, "cancel"), administered(first.address));
    assert.match(await fail(second, "accept"), /no transfer to 0x\w{40}, the address of ADMIN_KEY, is pending/);
  });

  it("accepts the role after the delay only", async () => {
    await succeed(first, "transfer", second.address);
    assert.match(await fail(second, "accept"), /the transfer can be accepted after \d{4}-\d\d-\d\dT/);
    await wait(DAY + 1);
    assert.match(await fail(first, "accept"), /no transfer to/);
    assert.deepEqual(await succeed(second, "accept"), administered(second.address));
    assert.match(await fail(first, "transfer", first.address), /administrator already/);
    assert.match(await fail(first, "transfer", Wallet.createRandom().address), /administers none of the contracts/);
    assert.match(await fail(first, "cancel"), /administers none of the contracts/);
  });

  it("refuses a relayer, the zero address, no address, and work without a key", async () => {
    assert.match(await fail(second, "transfer", relayer.address), /is a relayer: the administrator needs a key/);
    assert.match(await fail(second, "transfer", `0x${"0".repeat(40)}`), /ADDRESS: the zero address/);
    assert.match(await fail(second, "transfer", "0x12"), /ADDRESS/);
    for (const args of [["transfer", first.address], ["accept"], ["cancel"]])
      assert.match(await fail(undefined, ...args), /ADMIN_KEY is needed/);
  });
});
