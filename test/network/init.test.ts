import { assert } from "chai";
import { globSync } from "node:fs";
import { chmod, cp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { hexlify, randomBytes, SigningKey } from "ethers";
import { dersOf, isIssuedBy, makeAuthority } from "../../network/authority.ts";
import { add, remove, replace } from "../../network/change.ts";
import { checkFiles } from "../../network/check-files.ts";
import { type Hosts, parseHosts } from "../../network/hosts-file.ts";
import { init, type Wish } from "../../network/init.ts";
import { type Network, type NetworkHost, openNetwork } from "../../network/network-file.ts";
import { dropOldAuthorities, rotate, rotateAuthority } from "../../network/rotate.ts";
import { majorityOf, type Step } from "../../network/steps.ts";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";
import { thrownBy } from "../support/thrown.ts";
import { HOSTS_YAML, PLAN, wish } from "./made-network.ts";
import { PermissionedNodes } from "./permissioned-nodes.ts";

const DAY_MILLISECONDS = 86_400_000;

describe("network", function () {
  let made: string;
  let directory: string;
  before(async () => {
    made = await temporaryDirectory();
    await init(made, wish());
  });
  beforeEach(async () => {
    directory = await temporaryDirectory();
  });
  afterEach(() => removeDirectory(directory));
  after(() => removeDirectory(made));

  /** A network that was made before. */
  const someNetwork = async (): Promise<Network> => {
    await cp(made, directory, { recursive: true });
    return openNetwork(directory);
  };

  const path = (name: string): string => join(directory, name);
  const text = (name: string): Promise<string> => readFile(path(name), "utf8");
  const everything = async (): Promise<Map<string, string>> => {
    const files = globSync("**/*", { cwd: directory, withFileTypes: true }).filter((entry) => entry.isFile());
    const read = files.map(
      async ({ parentPath, name }) =>
        [join(parentPath, name), (await readFile(join(parentPath, name))).toString("latin1")] as const,
    );
    return new Map(await Promise.all(read));
  };

  it("has a chain id of its own, which stays", async () => {
    const { chainId: _, ...plan } = PLAN;
    const hosts = parseHosts(HOSTS_YAML, "hosts.yaml");
    const made = await Promise.all(["one", "two"].map((name) => init(join(directory, name), { plan, hosts })));
    const ids = made.map(({ network }) => network.plan.chainId);
    assert.notEqual(ids[0], ids[1]);
    const again = await init(join(directory, "one"), { plan, hosts });
    assert.equal(again.network.plan.chainId, ids[0]);
  });

  describe("created again", () => {
    it("changes nothing", async () => {
      await someNetwork();
      const before = await everything();
      const { folder } = await init(directory, wish());
      assert.deepEqual(folder.outcome.written, []);
      assert.deepEqual(folder.outcome.changed, []);
      assert.deepEqual(await everything(), before);
    });

    it("restores lost files, byte for byte where the network fixes them, and reports manual changes", async () => {
      const network = await someNetwork();
      const before = await everything();
      for (const lost of ["network.json", "dc-1/besu/genesis.json", "dc-2/besu/besu.toml", "compose/compose.yaml"])
        await rm(path(lost));
      await writeFile(path("dc-3/besu/besu.toml"), 'logging="DEBUG"\n');
      const { folder, network: again } = await init(directory, wish());
      assert.deepEqual(again, network);
      assert.sameMembers(folder.outcome.written, [
        "network.json",
        "dc-1/besu/genesis.json",
        "dc-2/besu/besu.toml",
        "compose/compose.yaml",
      ]);
      assert.deepEqual(folder.outcome.changed, ["dc-3/besu/besu.toml"]);
      before.set(path("dc-3/besu/besu.toml"), 'logging="DEBUG"\n');
      assert.deepEqual(await everything(), before);
    });

    it("creates no second key for a validator whose key only its data centre has", async () => {
      await someNetwork();
      await rm(path("customer/besu/key"));
      const { folder, keysElsewhere } = await init(directory, wish());
      assert.deepEqual(keysElsewhere, ["customer"]);
      assert.deepEqual(folder.outcome.written, []);
      await writeFile(path("dc-1/besu/key"), `${hexlify(randomBytes(32))}\n`);
      assert.match(
        (await thrownBy(init(directory, wish()))).message,
        /^dc-1\/besu\/key is not the key of dc-1's validator, 0x/,
      );
    });

    it("is rejected for another plan, with the differences", async () => {
      await someNetwork();
      const before = await everything();
      const yaml = HOSTS_YAML.replace("127.0.1.3", "127.0.1.33").replace(/ {2}- \{ name: customer.*\n/, "");
      const { message } = await thrownBy(
        init(directory, wish({ blockPeriodSeconds: 3, consensus: "qbft", emptyBlockPeriodSeconds: 60 }, yaml)),
      );
      assert.deepEqual(message.split("\n").slice(1, -1), [
        'consensus: is "ibft2", and would be "qbft"',
        "blockPeriodSeconds: is 5, and would be 3",
        "emptyBlockPeriodSeconds: is not set, and would be 60",
        'dc-3.address: is "127.0.1.3", and would be "127.0.1.33"',
        "customer: is in it, and is wished no more",
      ]);
      assert.deepEqual(await everything(), before);
    });
  });

  it("accepts a validator by its public key, with the private key elsewhere", async () => {
    const publicKey = `0x${new SigningKey(hexlify(randomBytes(32))).publicKey.slice(4)}`;
    const yaml = HOSTS_YAML.replace("address: 127.0.1.6", `address: 127.0.1.6, publicKey: "${publicKey}"`);
    const { network, keysElsewhere } = await init(directory, wish({}, yaml));
    assert.deepEqual(keysElsewhere, ["customer"]);
    assert.equal(network.hosts.at(-1)?.publicKey, publicKey);
    assert.isFalse(
      await stat(path("customer/besu/key")).then(
        () => true,
        () => false,
      ),
    );
    assert.deepEqual((await init(directory, wish({}, yaml))).folder.outcome.written, []);
  });

  describe("changed", () => {
    const more = parseHosts(`${HOSTS_YAML}  - { name: dc-7, address: 127.0.1.7 }\n`, "hosts.yaml");
    const steps = async (name: string): Promise<Step[]> => JSON.parse(await text(`changes/${name}.json`));
    const methods = (all: readonly Step[]): string[] =>
      all.flatMap(({ requests }) => requests.map(({ method }) => method));
    const enodesOf = async (host: string): Promise<string[]> =>
      JSON.parse(await text(`${host}/besu/static-nodes.json`));
    beforeEach(someNetwork);

    it("adds a validator after the votes of more than half, and updates all lists", async () => {
      const genesis = await text("dc-1/besu/genesis.json");
      const { text: printed } = await add(directory, "dc-7", more);
      const network = await openNetwork(directory);
      const joined = network.hosts.at(-1) ?? assert.fail();
      const all = await steps("1-add-dc-7");
      assert.deepEqual(methods(all), [
        "perm_addNodesToAllowlist",
        "admin_addPeer",
        "eth_blockNumber",
        "ibft_proposeValidatorVote",
        "ibft_discardValidatorVote",
      ]);
      assert.deepEqual(all[2]?.requests[0]?.params, [joined.validator, true]);
      assert.lengthOf(all[2]?.at ?? [], 6);
      assert.deepEqual([6, 7, 4, 5].map(majorityOf), [4, 4, 3, 3]);
      assert.include(all[2]?.what, "4 of 6");
      assert.include(printed, `https://127.0.1.1:8545`);
      // The first block stays what it was, for the newcomer too.
      for (const host of ["dc-1", "dc-7"]) assert.equal(await text(`${host}/besu/genesis.json`), genesis);
      assert.lengthOf(await enodesOf("dc-1"), 6);
      assert.lengthOf(await enodesOf("dc-7"), 6);
      assert.include(await text("relayer/relayer.env"), `${joined.validator}=dc-7`);
      assert.deepEqual((await init(directory, { ...wish(), hosts: more })).folder.outcome.written, []);
      assert.match((await thrownBy(add(directory, "dc-7", more))).message, /in the network already/);
      assert.match((await thrownBy(add(directory, "dc-8", more))).message, /has no dc-8/);
    });

    it("removes a validator, unless a relayer needs it or too few would remain", async () => {
      await remove(directory, "dc-5");
      assert.deepEqual(methods(await steps("1-remove-dc-5")), [
        "ibft_proposeValidatorVote",
        "ibft_discardValidatorVote",
        ...Array.from({ length: 5 }, () => ["eth_blockNumber", "admin_peers"]).flat(),
      ]);
      assert.lengthOf(await enodesOf("dc-1"), 4);
      assert.match((await thrownBy(remove(directory, "dc-1"))).message, /relayer has no other node than that of dc-1/);
      assert.match((await thrownBy(remove(directory, "dc-9"))).message, /the network has no dc-9/);
      await remove(directory, "dc-4");
      assert.match((await thrownBy(remove(directory, "dc-3"))).message, /fewer than 4 cannot bear a fault/);
      assert.deepEqual(
        (await openNetwork(directory)).hosts.map(({ name }) => name),
        ["dc-1", "dc-2", "dc-3", "customer"],
      );
    });

    it("takes a removed validator off the relayers, whose nodes init can change before and after", async () => {
      const withNodes = (hosts: Hosts, ...nodes: string[]): Wish => ({
        ...wish(),
        hosts: { ...hosts, relayers: [{ name: "relayer", nodes }] },
      });
      const all = wish().hosts;
      const { folder } = await init(directory, withNodes(all, ...all.hosts.map(({ name }) => name)));
      assert.sameMembers(folder.outcome.written, [
        "network.json",
        ...all.hosts.map(({ name }) => `${name}/network.json`),
        "relayer/relayer.env",
      ]);
      const { text: printed } = await remove(directory, "dc-1");
      assert.include(printed, "## 9. At relayer\n\nCopy the new relayer.env and nodes.json");
      const urls = /^RPC_URL=(.*)$/m.exec(await text("relayer/relayer.env"))?.[1]?.split(",");
      assert.deepEqual(
        urls,
        [2, 3, 4, 5, 6].map((host) => `https://127.0.1.${host}:8545`),
      );
      const left = { ...all, hosts: all.hosts.filter(({ name }) => name !== "dc-1") };
      await init(directory, withNodes(left, "dc-4"));
      assert.deepEqual((await openNetwork(directory)).relayers, [{ name: "relayer", nodes: ["dc-4"] }]);
    });

    it("replaces a lost validator: the new one joins before the other leaves", async () => {
      await replace(directory, "dc-1", "dc-7", more);
      const all = await steps("1-replace-dc-1");
      const votes = all
        .flatMap(({ requests }) => requests)
        .filter(({ method }) => method === "ibft_proposeValidatorVote");
      assert.deepEqual(
        votes.map(({ params }) => params[1]),
        [true, false],
      );
      // The lost one has no step other than its removal.
      const ofLost = all.filter(({ at }) => at.includes("dc-1"));
      assert.deepEqual(
        ofLost.map(({ requests, restarts }) => ({ requests, restarts })),
        [{ requests: [], restarts: undefined }],
      );
      assert.include(all[2]?.what, "4 of 6");
      assert.include(all[4]?.what, "4 of 7");
      const { hosts, relayers } = await openNetwork(directory);
      assert.deepEqual(
        hosts.map(({ name }) => name),
        ["dc-2", "dc-3", "dc-4", "dc-5", "customer", "dc-7"],
      );
      assert.deepEqual(relayers, [{ name: "relayer", nodes: ["dc-7"] }]);
    });

    describe("with nodes that permit connections like Besu", () => {
      const enodeOfHost = ({ publicKey, address, p2pPort }: NetworkHost): string =>
        `enode://${publicKey.slice(2)}@${address}:${p2pPort}`;
      let nodes: PermissionedNodes;
      let enodes: Map<string, string>;
      beforeEach(async () => {
        nodes = new PermissionedNodes(directory);
        enodes = new Map((await openNetwork(directory)).hosts.map((host) => [host.name, enodeOfHost(host)]));
        for (const [name, enode] of enodes) await nodes.start(name, enode);
      });

      it("removes a validator for good, also when its node keeps running", async () => {
        await remove(directory, "dc-5");
        const all = await steps("1-remove-dc-5");
        await nodes.follow(
          all.filter(({ what }) => !what.startsWith("Stop ")),
          enodes,
        );
        assert.isEmpty(nodes.peersOf("dc-5"));
        assert.deepEqual(nodes.peersOf("dc-1"), ["customer", "dc-2", "dc-3", "dc-4"]);
        // Never more than one node is down.
        assert.isTrue(all.every(({ at, restarts }) => restarts === undefined || at.length === 1));
      });

      it("replaces a validator by one that is connected to all that remain", async () => {
        await replace(directory, "dc-1", "dc-7", more);
        for (const host of (await openNetwork(directory)).hosts) enodes.set(host.name, enodeOfHost(host));
        await nodes.follow(await steps("1-replace-dc-1"), enodes);
        assert.deepEqual(nodes.peersOf("dc-7"), ["customer", "dc-2", "dc-3", "dc-4", "dc-5"]);
        assert.deepEqual(nodes.peersOf("dc-2"), ["customer", "dc-3", "dc-4", "dc-5", "dc-7"]);
      });

      it("adds a validator that stays connected after a restart of any node", async () => {
        await add(directory, "dc-7", more);
        for (const host of (await openNetwork(directory)).hosts) enodes.set(host.name, enodeOfHost(host));
        await nodes.follow(await steps("1-add-dc-7"), enodes);
        assert.lengthOf(nodes.peersOf("dc-7"), 6);
        await nodes.start("dc-2", enodes.get("dc-2") ?? "");
        assert.include(nodes.peersOf("dc-2"), "dc-7");
      });
    });

    it("renews certificates and tokens of given members, and keeps their keys", async () => {
      const before = await everything();
      const { outcome } = await rotate(directory, ["dc-2", "relayer"]);
      assert.sameMembers(outcome.written, [
        "dc-2/besu/tls/server.p12",
        "dc-2/besu/tls/server.pem",
        "dc-2/besu/tls/clients.p12",
        "dc-2/besu/tls/operator.pub",
        "dc-2/operator/client.key",
        "dc-2/operator/client.pem",
        "dc-2/operator/token.key",
        "dc-2/operator/authorization",
        "relayer/tls/client.key",
        "relayer/tls/client.pem",
      ]);
      const after = await everything();
      const changed = [...after].filter(([file, content]) => before.get(file) !== content).map(([file]) => file);
      assert.sameMembers(changed, outcome.written.map(path));
      assert.match((await thrownBy(rotate(directory, ["dc-9"]))).message, /has no dc-9; it has dc-1, /);
    });
  });

  it("changes the authority step by step, with trusted certificates at each step", async () => {
    const network = await someNetwork();
    const check = () => checkFiles(directory, network, Date.now());
    const trustedBy = async (name: string) => dersOf(await text(name)).length;
    const old = await text("dc-1/besu/tls/server.pem");
    await rotateAuthority(directory);
    for (const name of ["authority/ca.pem", "dc-1/operator/ca.pem", "relayer/tls/ca.pem"])
      assert.equal(await trustedBy(name), 2);
    assert.equal(await text("dc-1/besu/tls/server.pem"), old);
    assert.deepEqual(await check(), []);
    assert.match(
      (await thrownBy(dropOldAuthorities(directory))).message,
      /an older authority are in use: dc-1\/besu\/tls\/server\.pem, .*rotate them first/,
    );
    await rotate(directory, []);
    assert.deepEqual((await init(directory, wish())).folder.outcome.written, []);
    await dropOldAuthorities(directory);
    for (const name of ["authority/ca.pem", "dc-1/operator/ca.pem", "relayer/tls/ca.pem"])
      assert.equal(await trustedBy(name), 1);
    assert.deepEqual(await check(), []);
    assert.isFalse(isIssuedBy(old, await text("authority/ca.pem")));
    await writeFile(path("authority/ca.key"), (await makeAuthority()).key);
    assert.match(
      (await thrownBy(rotate(directory, []))).message,
      /ca\.key is not the key of the first certificate in authority\/ca\.pem/,
    );
  });

  it("reports invalid files", async () => {
    const network = await someNetwork();
    const check = async (now = Date.now()): Promise<string[]> =>
      (await checkFiles(directory, network, now)).map(({ where, what }) => `${where} ${what}`);
    assert.deepEqual(await check(), []);
    await chmod(path("dc-1/besu/key"), 0o640);
    await rm(path("dc-2/besu/static-nodes.json"));
    await writeFile(path("dc-3/besu/permissions_config.toml"), "nodes-allowlist=[]\n");
    for (const file of ["besu/tls/server.p12", "besu/tls/server.pem", "operator/client.key"])
      await rm(path(`dc-2/${file}`));
    await writeFile(path("dc-3/besu/tls/server.pem"), "garbage");
    assert.deepEqual(await check(), [
      "dc-2/besu/static-nodes.json is missing: init writes it again",
      "dc-3/besu/permissions_config.toml is not what it should be by network.json",
      "dc-2/operator/client.key is missing: init writes another one",
      "dc-2/besu/tls/server.p12 is missing: init writes another one",
      "dc-2/besu/tls/server.pem is missing: init writes another one",
      "dc-1/besu/key can be read by others than its owner: its mode is 640, not 600",
      "dc-3/besu/tls/server.pem is not a certificate in PEM: rotate it",
    ]);
    // A data centre that has only its own folder checks that, and a node's key can be elsewhere.
    await rm(path("dc-2"), { recursive: true });
    await rm(path("dc-3/besu/key"));
    assert.lengthOf(await check(), 3);
    const soon = await check(Date.now() + 380 * DAY_MILLISECONDS);
    assert.include(soon, "dc-1/besu/tls/server.pem expires in 16 days: rotate it");
    assert.include(await check(Date.now() + 400 * DAY_MILLISECONDS), "relayer/tls/client.pem has expired: rotate it");
  });

  it("reports certificates of another authority", async () => {
    const network = await someNetwork();
    const elsewhere = path("elsewhere");
    await init(elsewhere, wish());
    await writeFile(path("dc-1/besu/tls/server.pem"), await readFile(join(elsewhere, "dc-1/besu/tls/server.pem")));
    assert.deepEqual(await checkFiles(directory, network, Date.now()), [
      { where: "dc-1/besu/tls/server.pem", what: "was not issued by the network's authority" },
    ]);
  });
});
