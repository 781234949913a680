import { assert } from "chai";
import { checkNodes, lagOf } from "../../network/check-nodes.ts";
import type { Network } from "../../network/network-file.ts";
import { type BftNetwork, startBftNetwork } from "../support/bft/network.ts";
import { eventually } from "../support/eventually.ts";
import type { ParsedJson } from "../support/parsed-json.ts";
import { rpcCall } from "../support/rpc.ts";
import { PLAN } from "./made-network.ts";

describe("the lag of a node", () => {
  it("does not count blocks that came while others were queried", () => {
    const later = { height: 106, heightAt: 6_000 };
    assert.equal(lagOf({ height: 100, heightAt: 0 }, [later], 1), 0);
    assert.equal(lagOf({ height: 96, heightAt: 0 }, [later], 1), 4);
    assert.equal(lagOf({ height: 100, heightAt: 6_500 }, [later], 1), 6);
    assert.equal(lagOf(later, [{ height: 100, heightAt: 0 }], 1), 0);
  });
});

describe("check of a running QBFT network", function () {
  let running: BftNetwork;
  let network: Network;
  before(async () => {
    running = await startBftNetwork({ protocol: "qbft" });
    const first: ParsedJson = await rpcCall(running.nodes[0]?.http ?? "", "eth_getBlockByNumber", "0x0", false);
    network = {
      version: 1,
      plan: { ...PLAN, consensus: "qbft", chainId: running.chainId },
      genesis: {
        timestamp: Number(first.timestamp),
        validators: [...running.validators.addresses],
        hash: first.hash,
      },
      hosts: running.nodes.map(({ name, address, enode }) => ({
        name,
        validator: address,
        publicKey: `0x${enode.slice("enode://".length).split("@")[0]}`,
        address: "127.0.0.1",
        dns: [],
        p2pPort: 30_303,
        rpcPort: 8_545,
        metricsPort: 9_545,
      })),
      relayers: [],
    };
    await eventually(async () => assert.isAbove(running.head, 3));
  });
  after(() => running.stop());

  /** What is found, but for the version and the pace, which are those of a test. */
  const findings = async (): Promise<string[]> => {
    const access = ({ name }: { name: string }) => ({
      url: running.nodes.find((node) => node.name === name)?.http ?? "",
      client: "",
    });
    const found = await checkNodes("/nowhere", network, access, Date.now());
    return found
      .map(({ where, what }) => `${where}: ${what}`)
      .filter((line) => !/its client is|the block period is/.test(line));
  };

  it("finds nothing in a healthy network", async () => {
    assert.deepEqual(await findings(), []);
  });
});
