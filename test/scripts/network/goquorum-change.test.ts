import { assert } from "chai";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { add, remove, replace } from "../../../scripts/network/change.ts";
import { checkFiles } from "../../../scripts/network/check-files.ts";
import { checkNodes } from "../../../scripts/network/check-nodes.ts";
import { parseHosts } from "../../../scripts/network/hosts-file.ts";
import { type Network, type NetworkHost, openNetwork } from "../../../scripts/network/network-file.ts";
import { enodeOf } from "../../../scripts/network/node-key.ts";
import type { Step } from "../../../scripts/network/steps.ts";
import { removeDirectory, temporaryDirectory } from "../../support/directory.ts";
import { GoQuorumNodes } from "./goquorum-nodes.ts";
import { HOSTS_YAML, makeNetwork } from "./made-network.ts";

const MORE = parseHosts(`${HOSTS_YAML}  - { name: dc-7, address: 127.0.1.7 }\n`, "hosts.yaml");

describe("a change of a network of GoQuorum nodes", function () {
  let temporary: string;
  let directory: string;
  let network: Network;
  let nodes: GoQuorumNodes;
  beforeEach(async () => {
    temporary = await temporaryDirectory();
    directory = join(temporary, "network");
    ({ network } = await makeNetwork(temporary, { engine: "goquorum", consensus: "qbft" }));
    nodes = new GoQuorumNodes(directory, network);
    for (const host of network.hosts) await nodes.start(host);
  });
  afterEach(async () => {
    await nodes.stop();
    await removeDirectory(temporary);
  });

  const text = (path: string): Promise<string> => readFile(join(directory, path), "utf8");
  const steps = async (stem: string): Promise<Step[]> => JSON.parse(await text(`changes/${stem}.json`));
  const hostOf = (name: string, { hosts }: Network = network): NetworkHost =>
    hosts.find((host) => host.name === name) ?? assert.fail();
  /** What the check finds now in the files, and in the nodes of the changed network. */
  const findings = async (): Promise<string[]> => {
    const changed = await openNetwork(directory);
    const found = await checkNodes(
      directory,
      changed,
      ({ name }) => ({ url: nodes.urlOf(name), client: "" }),
      Date.now(),
    );
    return [...(await checkFiles(directory, changed, Date.now())), ...found].map(
      ({ where, what }) => `${where}: ${what}`,
    );
  };

  it("removes a validator without a restart, also when its node keeps running", async () => {
    assert.deepEqual(await findings(), []);
    await remove(directory, "dc-5");
    const { validator } = hostOf("dc-5");
    const remaining = ["dc-1", "dc-2", "dc-3", "dc-4", "customer"];
    // It still votes and is connected.
    assert.deepEqual(
      await findings(),
      remaining.flatMap((name) => [
        `${name}: ${validator} is a validator but not in network.json`,
        `${name}: 5 peers are connected, not 4`,
      ]),
    );
    const all = (await steps("1-remove-dc-5")).filter(({ what }) => !what.startsWith("Stop "));
    await nodes.follow(all.slice(0, 2), network.hosts);
    assert.notInclude(nodes.validators, validator);
    assert.deepEqual(
      await findings(),
      remaining.map((name) => `${name}: 5 peers are connected, not 4`),
    );
    await nodes.follow(all.slice(2), network.hosts);
    assert.isEmpty(nodes.peersOf("dc-5"));
    for (const name of remaining) assert.isEmpty(nodes.votesOf(name));
    assert.deepEqual(await findings(), []);
    assert.isFalse(all.some(({ restarts }) => restarts));
  });

  it("adds a validator", async () => {
    await add(directory, "dc-7", MORE);
    assert.isAbove(JSON.parse(await text("dc-1/goquorum/permissioned-nodes.json")).length, 6);
    const changed = await openNetwork(directory);
    await nodes.follow(await steps("1-add-dc-7"), changed.hosts);
    assert.include(nodes.validators, hostOf("dc-7", changed).validator);
    assert.lengthOf(nodes.peersOf("dc-7"), 6);
    assert.deepEqual(await findings(), []);
  });

  it("replaces a lost validator, which has to do nothing", async () => {
    await replace(directory, "dc-1", "dc-7", MORE);
    const changed = await openNetwork(directory);
    const all = await steps("1-replace-dc-1");
    assert.match(all[0]?.what ?? "", /no longer have dc-1.*cannot connect again/);
    assert.deepEqual(
      all.filter(({ at }) => at.includes("dc-1")).map(({ requests }) => requests),
      [[]],
    );
    await nodes.follow(all, changed.hosts);
    assert.sameMembers(
      nodes.validators,
      changed.hosts.map(({ validator }) => validator),
    );
    assert.deepEqual(nodes.peersOf("dc-7"), ["customer", "dc-2", "dc-3", "dc-4", "dc-5"]);
    assert.deepEqual(await findings(), []);
  });

  it("names the commands of each data centre, for the IPC socket of its node", async () => {
    const { text: printed } = await remove(directory, "dc-5");
    const { validator } = hostOf("dc-5");
    const attach = (call: string): string =>
      `sudo -u goquorum /usr/local/bin/geth attach --exec '${call}' /var/lib/goquorum/geth.ipc`;
    const lists = "goquorum/static-nodes.json goquorum/permissioned-nodes.json";
    for (const line of [
      attach(`istanbul.propose("${validator}", false)`),
      attach(`istanbul.discard("${validator}")`),
      attach(`admin.removePeer("${enodeOf(hostOf("dc-5"), hostOf("dc-5").address)}")`),
      attach("admin.peers"),
      `install -m 0600 -o goquorum -g goquorum ${lists} /etc/goquorum/`,
      `install -m 0600 -o goquorum -g goquorum ${lists} /var/lib/goquorum/`,
    ])
      assert.include(printed.split("\n"), line);
    assert.notInclude(printed, "curl");
  });
});
