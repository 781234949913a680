import { assert } from "chai";
import { globSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { computeAddress } from "ethers";
import { importSPKI, jwtVerify } from "jose";
import { parse as parseToml } from "smol-toml";
import { parse as parseYaml } from "yaml";
import type { Network } from "../../network/network-file.ts";
import { parseConfig } from "../../server/config/config.ts";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";
import type { ParsedJson } from "../support/parsed-json.ts";
import { METHODS, OPTIONS } from "./besu.ts";
import { HOSTS_YAML, makeNetwork } from "./made-network.ts";

describe("files of a network", function () {
  let temporary: string;
  let directory: string;
  let network: Network;
  before(async () => {
    temporary = await temporaryDirectory();
    directory = join(temporary, "network");
    ({ network } = await makeNetwork(temporary));
  });
  after(() => removeDirectory(temporary));

  const text = (path: string): Promise<string> => readFile(join(directory, path), "utf8");
  const json = async (path: string): Promise<ParsedJson> => JSON.parse(await text(path));
  const toml = async (path: string): Promise<Record<string, ParsedJson>> => parseToml(await text(path));
  const names = (): string[] => network.hosts.map(({ name }) => name);

  it("configure each node with options and methods of Besu", async () => {
    for (const host of network.hosts) {
      const options = await toml(`${host.name}/besu/besu.toml`);
      assert.deepEqual(
        Object.keys(options).filter((option) => !OPTIONS.has(option)),
        [],
      );
      assert.deepInclude(options, {
        "p2p-host": host.address,
        "min-gas-price": 0,
        "tx-pool": "SEQUENCED",
        "tx-pool-limit-by-account-percentage": 1,
        "target-gas-limit": network.plan.gasLimit,
        "discovery-enabled": false,
        "permissions-nodes-config-file-enabled": true,
        "rpc-http-tls-enabled": true,
        "rpc-http-tls-client-auth-enabled": true,
        "metrics-enabled": true,
      });
      assert.includeMembers(options["host-allowlist"], [host.address, host.name, ...host.dns]);
      // The configured files exist, in the folder that is copied to the node.
      for (const path of Object.values(options).filter(
        (value): value is string => typeof value === "string" && value.startsWith("/etc/besu/"),
      )) {
        await stat(join(directory, host.name, "besu", path.slice("/etc/besu/".length)));
      }
    }
  });

  it("allow reading and sending to certificates only, and voting to operators only", async () => {
    const options = await toml("dc-1/besu/besu.toml");
    const open: string[] = options["rpc-http-api-methods-no-auth"];
    assert.deepEqual(
      open.filter((method) => !METHODS.has(method)),
      [],
    );
    assert.includeMembers(open, [
      "eth_sendRawTransaction",
      "eth_getBlockReceipts",
      "ibft_getValidatorsByBlockNumber",
      "admin_peers",
    ]);
    assert.deepEqual(
      open.filter((method) =>
        /propose|discard|^admin_(add|remove)|^perm_(add|remove|reload)|eth_sendTransaction$/.test(method),
      ),
      [],
    );
    for (const name of names()) {
      const token = (await text(`${name}/operator/authorization`)).replace(/^Authorization: Bearer /, "").trim();
      const key = await importSPKI(await text(`${name}/besu/tls/operator.pub`), "ES256");
      const { payload } = await jwtVerify(token, key);
      assert.deepEqual(payload["permissions"], ["*:*"]);
      assert.isNumber(payload.exp);
      const other = await importSPKI(await text(`${name === "dc-1" ? "dc-2" : "dc-1"}/besu/tls/operator.pub`), "ES256");
      assert.isTrue(
        await jwtVerify(token, other).then(
          () => false,
          () => true,
        ),
        "one operator's token opens another's node",
      );
    }
  });

  it("allow connections from all validators, and list all others as peers", async () => {
    const enodes = network.hosts.map(
      ({ publicKey, address, p2pPort }) => `enode://${publicKey.slice(2)}@${address}:${p2pPort}`,
    );
    for (const [index, name] of names().entries()) {
      assert.deepEqual(await toml(`${name}/besu/permissions_config.toml`), { "nodes-allowlist": enodes });
      assert.deepEqual(await json(`${name}/besu/static-nodes.json`), enodes.toSpliced(index, 1));
      assert.equal(await text(`${name}/besu/genesis.json`), await text("dc-1/besu/genesis.json"));
      assert.deepEqual(await json(`${name}/network.json`), network);
      const key = (await text(`${name}/besu/key`)).trim();
      assert.equal(computeAddress(key).toLowerCase(), network.hosts[index]?.validator);
    }
    assert.deepEqual(await json("relayer/nodes.json"), enodes);
    assert.deepEqual(network.genesis.validators, network.hosts.map(({ validator }) => validator).sort());
  });

  it("contain every secret once, readable by its owner only", async () => {
    const files = globSync("**/*", { cwd: directory, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
    const isSecret = (path: string): boolean => /\/(key|password|authorization|server\.p12|[a-z]+\.key)$/.test(path);
    const secrets = files.filter(isSecret);
    // Six of each data centre, the authority's, and the relayer's.
    assert.lengthOf(secrets, 6 * 6 + 2);
    for (const path of secrets) assert.equal((await stat(path)).mode & 0o777, 0o600, path);
    const contents = new Map(
      await Promise.all(files.map(async (path) => [path, (await readFile(path)).toString("latin1")] as const)),
    );
    for (const secret of secrets) {
      const content = contents.get(secret)?.trim() ?? assert.fail(secret);
      const holders = [...contents].filter(([, other]) => other.includes(content)).map(([path]) => path);
      assert.deepEqual(holders, [secret], `the secret of ${secret} is in another place`);
    }
  });

  it("contain the complete configuration of the server", async () => {
    const env = Object.fromEntries(
      (await text("relayer/relayer.env"))
        .trim()
        .split("\n")
        .map((line) => line.split(/=(.*)/s).slice(0, 2)),
    );
    const config = parseConfig({ ...env, RELAYER_KEY: `0x${"11".repeat(32)}` });
    assert.equal(config.chain.node.kind, "remote");
    assert.include(JSON.stringify(config.chain.node), "https://127.0.1.1:8545");
    assert.equal(config.chain.fees.gasPrice, 0n);
    assert.deepEqual(
      [...config.chain.validatorNames],
      network.hosts.map(({ validator, name }) => [validator, name]),
    );
  });

  it("are all documented in the manual", async () => {
    const [, table = ""] = (await readFile(join(import.meta.dirname, "../../docs/network.md"), "utf8")).split(
      "\n## What each file is\n",
    );
    const documented = [...(table.split("\n## ")[0] ?? "").matchAll(/^\| (.+?) \|/gm)].flatMap(([, cell = ""]) => {
      const names = [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
      // Those after the first are in its folder.
      const folder = (names[0] ?? "").replace(/[^/]*$/, "");
      return names.map((name, index) => (index === 0 ? name : `${folder}${name}`));
    });
    const files = globSync("**/*", { cwd: directory, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1));
    const general = (file: string): string =>
      file.replace(/^(?:dc-\d|customer)\//, "DC/").replace(/^relayer\//, "RELAYER/");
    const missing = files
      .map(general)
      .filter(
        (file) =>
          !documented.some((name) => file === name || (name.endsWith("/") && file.startsWith(name))) &&
          file !== "DC/network.json",
      );
    assert.deepEqual([...new Set(missing)], []);
  });

  it("configure every node in Prometheus", async () => {
    const targets: { targets: string[]; labels: { node: string } }[] = await json("monitoring/besu-targets.json");
    assert.deepEqual(
      targets.map(({ targets: [target], labels }) => [labels.node, target]),
      network.hosts.map(({ name, address, metricsPort }) => [name, `${address}:${metricsPort}`]),
    );
  });

  it("start all nodes on one machine, with separate lists", async () => {
    const { services, networks } = parseYaml(await text("compose/compose.yaml"));
    assert.deepEqual(Object.keys(services), names());
    assert.deepEqual(Object.keys(networks), ["validators"]);
    const addresses = Object.values<ParsedJson>(services).map((service) => service.networks.validators.ipv4_address);
    assert.lengthOf(new Set(addresses), 6);
    const ports = Object.values<ParsedJson>(services).flatMap((service) => service.ports);
    assert.lengthOf(new Set(ports), 6);
    const enodes = network.hosts.map(
      ({ publicKey }, index) => `enode://${publicKey.slice(2)}@${addresses[index]}:30303`,
    );
    for (const [index, name] of names().entries()) {
      const service = services[name];
      assert.equal(service.environment.BESU_P2P_HOST, addresses[index]);
      for (const variable of Object.keys(service.environment).filter((key) => key.startsWith("BESU_"))) {
        assert.isTrue(OPTIONS.has(variable.slice("BESU_".length).toLowerCase().replaceAll("_", "-")), variable);
      }
      assert.include(service.command, "--profile=ENTERPRISE");
      for (const volume of service.volumes) await stat(join(directory, "compose", volume.split(":")[0]));
      assert.deepEqual(await toml(`compose/${name}/permissions_config.toml`), { "nodes-allowlist": enodes });
      assert.deepEqual(await json(`compose/${name}/static-nodes.json`), enodes.toSpliced(index, 1));
    }
  });

  it("start on one machine with the addresses of the hosts, where they are available", async () => {
    const yaml = HOSTS_YAML.replaceAll("127.0.1.", "172.30.84.10");
    const here = await temporaryDirectory();
    const made = await makeNetwork(here, {}, yaml);
    const read = (path: string): Promise<string> => readFile(join(here, "network", path), "utf8");
    const { services } = parseYaml(await read("compose/compose.yaml"));
    for (const { name, address } of made.network.hosts) {
      assert.equal(services[name].networks.validators.ipv4_address, address);
      for (const list of ["static-nodes.json", "permissions_config.toml"])
        assert.equal(await read(`compose/${name}/${list}`), await read(`${name}/besu/${list}`));
    }
    await removeDirectory(here);
  });
});
