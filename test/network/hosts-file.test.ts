import { assert } from "chai";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseHosts } from "../../network/hosts-file.ts";
import { planOf, type PlanOptions } from "../../network/plan.ts";
import { refusal } from "../support/refusal.ts";
import { HOSTS_YAML } from "./made-network.ts";

describe("hosts file of a network", () => {
  const faults = (yaml: string): string[] => refusal(() => parseHosts(yaml, "hosts.yaml")).message.split("\n");
  const lines = HOSTS_YAML.trimEnd().split("\n");

  it("is rejected with line and field of each fault", () => {
    const wrong = lines
      .with(3, "  - { name: dc-3, address: besu.example, rpcPort: 99999 }")
      .with(5, "  - { name: dc-5, adress: 127.0.1.5 }")
      .join("\n");
    assert.deepEqual(faults(wrong), [
      "hosts.yaml:4: hosts.2.address: is not an IPv4 address",
      "hosts.yaml:4: hosts.2.rpcPort: is not a port",
      "hosts.yaml:6: hosts.4.address: is not an IPv4 address",
      'hosts.yaml:6: hosts.4: Unrecognized key: "adress"',
    ]);
  });

  it("has unique names and addresses of data centres, and relayers with existing nodes", () => {
    const twice = [
      ...lines.with(2, "  - { name: dc-1, address: 127.0.1.1, p2pPort: 1 }"),
      "relayers:",
      "  - { name: dc-4, nodes: [dc-1, dc-9, dc-1] }",
    ].join("\n");
    assert.deepEqual(faults(twice), [
      'hosts.yaml:3: hosts.1.name: "dc-1" is used twice',
      "hosts.yaml:3: hosts.1.rpcPort: 127.0.1.1:8545 is used twice",
      "hosts.yaml:3: hosts.1.metricsPort: 127.0.1.1:9545 is used twice",
      'hosts.yaml:9: relayers.0.name: "dc-4" is used twice',
      'hosts.yaml:9: relayers.0.nodes.1: "dc-9" is not in hosts',
      'hosts.yaml:9: relayers.0.nodes.2: "dc-1" is listed twice',
    ]);
  });

  it("matches the manual", async () => {
    const manual = await readFile(join(import.meta.dirname, "../../docs/network.md"), "utf8");
    const [, block = ""] = /```yaml\n([^]*?)```/.exec(manual) ?? [];
    const { hosts, relayers } = parseHosts(block.replaceAll(/^ {3}/gm, ""), "hosts.yaml");
    assert.deepEqual(
      hosts.map(({ name }) => name),
      ["dc-1", "dc-2", "dc-3", "dc-4", "dc-5", "customer"],
    );
    assert.deepEqual(relayers, [{ name: "relayer", nodes: ["dc-1", "dc-2", "dc-3"] }]);
  });

  it("is YAML, with names that are valid folder names", () => {
    assert.match(faults("hosts:\n  - { name: dc-1\n")[0] ?? "", /^hosts\.yaml:\d: /);
    assert.match(faults("")[0] ?? "", /^hosts\.yaml:1: hosts: /);
    assert.match(
      faults(HOSTS_YAML.replace("dc-3", "compose"))[0] ?? "",
      /^hosts\.yaml:4: hosts\.2\.name: is one of .*compose/,
    );
    const foreign = HOSTS_YAML.replace("127.0.1.2", `127.0.1.2, publicKey: "0x${"11".repeat(64)}"`);
    assert.deepEqual(faults(foreign), [
      "hosts.yaml:3: hosts.1.publicKey: is not a public key: it is not a point of the curve",
    ]);
    assert.match(
      faults(HOSTS_YAML.replace("dc-3", "../dc"))[0] ?? "",
      /^hosts\.yaml:4: hosts\.2\.name: is not a valid name/,
    );
  });
});

describe("plan of a network", () => {
  it("has consistent numbers, and defaults for missing ones", () => {
    const some = { blockTime: 3, consensus: "ibft2", chainId: 7_330 } as const;
    const refused = (options: Partial<PlanOptions>, hosts = 6): string =>
      refusal(() => planOf({ ...some, ...options }, hosts)).message;
    assert.deepEqual(planOf(some, 6), {
      consensus: "ibft2",
      chainId: 7_330,
      blockPeriodSeconds: 3,
      requestTimeoutSeconds: 6,
      gasLimit: 39_000_000,
    });
    assert.match(refused({ validators: 4 }), /--validators is 4, but the hosts file has 6 hosts/);
    assert.match(refused({}, 3), /3 validators are too few/);
    assert.match(refused({ requestTimeout: 3 }), /--request-timeout is not more than --block-time/);
    assert.match(refused({ emptyBlockTime: 60 }), /--empty-block-time is for qbft/);
    assert.match(refused({ consensus: "qbft", emptyBlockTime: 61 }), /--empty-block-time is at most 60/);
    assert.match(refused({ consensus: "qbft", emptyBlockTime: 2 }), /--empty-block-time is less than --block-time/);
    assert.match(refused({ blockTime: 61 }), /--block-time is more than 60 seconds/);
  });
});
