import { assert } from "chai";
import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { getBytes, hexlify, keccak256 } from "ethers";
import { parse as parseYaml } from "yaml";
import { checkFiles } from "../../../scripts/network/check-files.ts";
import { checkNodes } from "../../../scripts/network/check-nodes.ts";
import { genesisExtraData, genesisHash } from "../../../scripts/network/genesis.ts";
import type { Network } from "../../../scripts/network/network-file.ts";
import { rotate } from "../../../scripts/network/rotate.ts";
import { decodeExtraData } from "../../../server/chain/evidence/bft-extra-data.ts";
import { BlockHeader, encodeHeader } from "../../../server/chain/evidence/block-header.ts";
import { removeDirectory, temporaryDirectory } from "../../support/directory.ts";
import type { ParsedJson } from "../../support/parsed-json.ts";
import published from "../../vectors/genesis/goquorum-qbft.json" with { type: "json" };
import { GENESIS_CONFIG, OPTIONS, QBFT_RULES } from "./goquorum.ts";
import { makeNetwork } from "./made-network.ts";

const EMPTY_TRIE = "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421";

describe("a network of GoQuorum nodes", function () {
  let temporary: string;
  let directory: string;
  let network: Network;
  before(async () => {
    temporary = await temporaryDirectory();
    directory = join(temporary, "network");
    ({ network } = await makeNetwork(temporary, {
      engine: "goquorum",
      consensus: "qbft",
      emptyBlockPeriodSeconds: 60,
    }));
  });
  after(() => removeDirectory(temporary));

  const text = (path: string): Promise<string> => readFile(join(directory, path), "utf8");
  const jsonOf = async (path: string): Promise<ParsedJson> => JSON.parse(await text(path));
  const names = (): string[] => network.hosts.map(({ name }) => name);
  /** Options of a command line: each is in a word of its own, before its value. */
  const optionsIn = (command: string): Map<string, string> =>
    new Map(
      command
        .split(" --")
        .slice(1)
        .map((option) => option.split(" ", 2) as [string, string]),
    );

  it("has the extra data that GoQuorum publishes, with the validators in ascending order", () => {
    const { vanity, validators, vote, round, seals } = decodeExtraData("qbft", getBytes(published.extraData));
    assert.deepEqual(validators.map(hexlify), published.validators);
    assert.deepEqual([hexlify(vanity), vote, round, seals], [`0x${"00".repeat(32)}`, [], 0, []]);
    const sorted = [...published.validators].sort();
    const list = (addresses: readonly string[]): string => addresses.map((each) => `94${each.slice(2)}`).join("");
    assert.equal(
      genesisExtraData("qbft", published.validators),
      published.extraData.replace(list(published.validators), list(sorted)),
    );
  });

  it("has a genesis block without a base fee, with keys that GoQuorum reads", async () => {
    for (const name of names())
      assert.equal(await text(`${name}/goquorum/genesis.json`), await text("dc-1/goquorum/genesis.json"));
    const { config, alloc: _alloc, coinbase, nonce: _nonce, ...file } = await jsonOf("dc-1/goquorum/genesis.json");
    assert.includeMembers(GENESIS_CONFIG, Object.keys(config));
    assert.includeMembers(QBFT_RULES, Object.keys(config.qbft));
    assert.deepInclude(config, { chainId: network.plan.chainId, berlinBlock: 0, isQuorum: true });
    assert.deepEqual(config.qbft, {
      blockperiodseconds: 5,
      emptyblockperiodseconds: 60,
      epochlength: 30_000,
      requesttimeoutseconds: 10,
      policy: 0,
      ceil2Nby3Block: 0,
    });
    assert.notProperty(file, "baseFeePerGas");
    const header = BlockHeader.parse({
      ...file,
      number: "0x0",
      parentHash: `0x${"00".repeat(32)}`,
      nonce: "0x0000000000000000",
      miner: coinbase,
      sha3Uncles: "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347",
      logsBloom: `0x${"00".repeat(256)}`,
      gasUsed: "0x0",
      stateRoot: EMPTY_TRIE,
      transactionsRoot: EMPTY_TRIE,
      receiptsRoot: EMPTY_TRIE,
    });
    assert.equal(network.genesis.hash, keccak256(encodeHeader(header)));
    assert.notEqual(network.genesis.hash, genesisHash({ ...network, plan: { ...network.plan, engine: "besu" } }));
  });

  it("starts each node with options of GoQuorum, without an API that changes it", async () => {
    for (const { name, address } of network.hosts) {
      const unit = await text(`${name}/goquorum.service`);
      const options = optionsIn(/^ExecStart=(.*)$/m.exec(unit)?.[1] ?? "");
      assert.deepEqual(
        [...options.keys()].filter((option) => !OPTIONS.has(option)),
        [],
      );
      assert.equal(options.get("http.api"), "eth,net,web3");
      assert.equal(options.get("http.addr"), "127.0.0.1", "only the proxy reaches it");
      assert.equal(options.get("pprof.addr"), "127.0.0.1");
      assert.equal(options.get("nat"), `extip:${address}`);
      assert.equal(options.get("miner.gasprice"), "0");
      assert.equal(options.get("miner.gaslimit"), String(network.plan.gasLimit));
      assert.equal(options.get("networkid"), String(network.plan.chainId));
      for (const flag of ["permissioned", "nodiscover", "mine"]) assert.isTrue(options.has(flag), flag);
      assert.match(unit, /^Environment=PRIVATE_CONFIG=ignore$/m);
    }
  });

  it("permits all validators, and lists all others as peers", async () => {
    const enodes = network.hosts.map(({ publicKey, address }) => `enode://${publicKey.slice(2)}@${address}:30303`);
    for (const [index, name] of names().entries()) {
      assert.deepEqual(await jsonOf(`${name}/goquorum/permissioned-nodes.json`), enodes);
      assert.deepEqual(await jsonOf(`${name}/goquorum/static-nodes.json`), enodes.toSpliced(index, 1));
    }
  });

  it("has keys as GoQuorum reads them, readable by their owner only, and no files of Besu", async () => {
    for (const { name, address } of network.hosts) {
      assert.match(await text(`${name}/goquorum/key`), /^[0-9a-f]{64}\n$/);
      for (const secret of ["goquorum/key", "goquorum/tls/server.key", "operator/client.key"])
        assert.equal((await stat(join(directory, name, secret))).mode & 0o777, 0o600, secret);
      const certificate = new X509Certificate(await text(`${name}/goquorum/tls/server.pem`));
      assert.isTrue(certificate.checkPrivateKey(createPrivateKey(await text(`${name}/goquorum/tls/server.key`))));
      assert.isDefined(certificate.checkIP(address));
      assert.equal(await text(`${name}/goquorum/tls/clients.pem`), await text("authority/ca.pem"));
      const proxy = await text(`${name}/goquorum/nginx.conf`);
      assert.include(proxy, `listen ${address}:8545 ssl;`);
      assert.include(proxy, "ssl_verify_client on;");
      for (const file of ["server.pem", "server.key", "clients.pem"])
        assert.include(proxy, `/etc/goquorum/tls/${file};`);
      assert.isUndefined(await stat(join(directory, name, "besu")).catch(() => undefined));
    }
    assert.deepEqual(await checkFiles(directory, network, Date.now()), []);
  });

  it("starts on one machine, with separate lists", async () => {
    const { services } = parseYaml(await text("compose/compose.yaml"));
    assert.deepEqual(Object.keys(services), names());
    for (const [index, name] of names().entries()) {
      const { command, environment, volumes, networks, ports } = services[name];
      const address: string = networks.validators.ipv4_address;
      assert.deepEqual([environment, ports], [{ PRIVATE_CONFIG: "ignore" }, [`127.0.0.1:${18_545 + index}:8545`]]);
      assert.equal(optionsIn(command[0].split("exec ")[1]).get("nat"), `extip:${address}`);
      for (const volume of volumes) await stat(join(directory, "compose", volume.split(":")[0]));
      const permitted: string[] = await jsonOf(`compose/${name}/permissioned-nodes.json`);
      assert.include(permitted[index], `@${address}:30303`);
    }
  });

  it("is monitored at the path of GoQuorum's metrics", async () => {
    assert.include(await text("monitoring/prometheus.yml"), "metrics_path: /debug/metrics/prometheus");
  });

  it("keeps the keys of its nodes when certificates are rotated", async () => {
    const keys = await Promise.all(names().map((name) => text(`${name}/goquorum/key`)));
    const before = await text("dc-1/goquorum/tls/server.pem");
    await rotate(directory, ["dc-1"]);
    assert.notEqual(await text("dc-1/goquorum/tls/server.pem"), before);
    assert.deepEqual(await Promise.all(names().map((name) => text(`${name}/goquorum/key`))), keys);
  });

  describe("checked", () => {
    const servers = new Map<string, Server>();
    let version: string;
    before(async () => {
      for (const name of names()) servers.set(name, await startNode(name));
    });
    beforeEach(() => (version = "Geth/dc-1/v1.10.3-stable(quorum-v24.4.1)/linux-amd64/go1.19"));
    after(async () => {
      for (const server of servers.values()) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    });

    const quantity = (value: number): string => `0x${value.toString(16)}`;
    /** The responses of GoQuorum with the APIs eth, net and web3. */
    const reply = (method: string, [block]: readonly unknown[]): object => {
      const number = block === "latest" ? 1_000 : Number(block);
      switch (method) {
        case "eth_getBlockByNumber":
          return {
            result: {
              hash: number === 0 ? network.genesis.hash : `0x${"22".repeat(32)}`,
              number: quantity(number),
              timestamp: quantity(1_800_000_000 + 5 * number),
              extraData: genesisExtraData("qbft", network.genesis.validators),
            },
          };
        case "eth_chainId":
          return { result: quantity(network.plan.chainId) };
        case "net_peerCount":
          return { result: quantity(network.hosts.length - 1) };
        case "web3_clientVersion":
          return { result: version };
        default:
          return { error: { code: -32601, message: `the method ${method} does not exist/is not available` } };
      }
    };

    /** The proxy of a node, with what its data centre's folder gives it. */
    async function startNode(name: string): Promise<Server> {
      const tls = {
        cert: await text(`${name}/goquorum/tls/server.pem`),
        key: await text(`${name}/goquorum/tls/server.key`),
        ca: await text(`${name}/goquorum/tls/clients.pem`),
        requestCert: true,
        rejectUnauthorized: true,
      };
      const server = createServer(tls, (request, response) => {
        void json(request).then((body) => {
          const one = ({ id, method, params }: ParsedJson) => ({ jsonrpc: "2.0", id, ...reply(method, params) });
          const result = Array.isArray(body) ? body.map(one) : one(body as ParsedJson);
          response.setHeader("Content-Type", "application/json").end(JSON.stringify(result));
        });
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      return server;
    }

    const findings = async (): Promise<string[]> => {
      const urlOf = (name: string): string => `https://127.0.0.1:${(servers.get(name)?.address() as AddressInfo).port}`;
      const found = await checkNodes(
        directory,
        network,
        ({ name }) => ({ url: urlOf(name), client: join(directory, name, "operator") }),
        Date.now(),
      );
      return found.map(({ where, what }) => `${where}: ${what}`);
    };

    it("matches its files, by the headers and the number of peers", async () => assert.deepEqual(await findings(), []));

    it("is reported with another version", async () => {
      version = "Geth/v1.10.3-stable(quorum-v23.4.0)/linux-amd64/go1.19";
      assert.deepEqual(
        await findings(),
        names().map((name) => `${name}: its client is ${version}, not quorum-v24.4.1`),
      );
    });
  });
});
