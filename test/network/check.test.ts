import { assert } from "chai";
import { readFile, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { type Authority, authorityOf, derOf, importKey, makeAuthority } from "../../network/authority.ts";
import { checkNodes } from "../../network/check-nodes.ts";
import { genesisExtraData } from "../../network/genesis.ts";
import type { Network, NetworkHost } from "../../network/network-file.ts";
import { keyStore } from "../../network/pkcs12.ts";
import { rotate, rotateAuthority } from "../../network/rotate.ts";
import { fetchChainId } from "../../server/chain/rpc/connect.ts";
import { NODE, peerTlsOptions } from "../../server/chain/rpc/peer-tls.ts";
import { testValidators } from "../support/bft-chain.ts";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";
import type { ParsedJson } from "../support/parsed-json.ts";
import { thrownBy } from "../support/thrown.ts";
import { makeNetwork } from "./made-network.ts";

/** The responses of one node; a test changes them. A method without a response is rejected. */
interface NodeResponses extends Record<string, unknown> {
  /** Time of block 0, Unix seconds. */
  start: number;
  height: number;
  period: number;
  genesis: string;
}

/** In the future: the newest block is never old. */
const START = 1_900_000_000;

const quantity = (value: number): string => `0x${value.toString(16)}`;

/** A peer as Besu returns it. */
const peerOf = (publicKey: string): object => ({
  version: "0x5",
  id: publicKey,
  enode: `enode://${publicKey.slice(2)}@172.30.84.11:30303`,
});

describe("check of a running network", function () {
  let temporary: string;
  let directory: string;
  let network: Network;
  let responses: Map<string, NodeResponses>;
  const servers = new Map<string, Server>();

  before(async () => {
    temporary = await temporaryDirectory();
    directory = join(temporary, "network");
    ({ network } = await makeNetwork(temporary));
    for (const host of network.hosts) servers.set(host.name, await startNode(host.name));
  });
  beforeEach(() => {
    responses = new Map(network.hosts.map((host) => [host.name, responsesOf(host)]));
  });
  after(async () => {
    for (const server of servers.values()) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
    await removeDirectory(temporary);
  });

  function responsesOf(host: NetworkHost): NodeResponses {
    const others = network.hosts.filter(({ name }) => name !== host.name);
    return {
      start: START,
      height: 1_000,
      period: 5,
      genesis: network.genesis.hash,
      eth_chainId: quantity(network.plan.chainId),
      net_peerCount: quantity(others.length),
      admin_peers: others.map(({ publicKey }) => peerOf(publicKey)),
      ibft_getValidatorsByBlockNumber: network.genesis.validators,
      // By whatever address.
      perm_getNodesAllowlist: network.hosts.map(({ publicKey }) => `enode://${publicKey.slice(2)}@172.30.84.11:30303`),
      web3_clientVersion: `besu/${host.name}/v26.9.0-develop-1a2b3c4/linux-x86_64/openjdk-java-25`,
    };
  }

  function reply(
    { start, height, period, genesis, ...others }: NodeResponses,
    method: string,
    params: readonly unknown[],
  ): object {
    if (method === "eth_getBlockByNumber") {
      const number = params[0] === "latest" ? height : Number(params[0]);
      const extraData = genesisExtraData(
        "ibft2",
        network.hosts.map(({ validator }) => validator),
      );
      return {
        result: {
          hash: number === 0 ? genesis : `0x${"22".repeat(32)}`,
          number: quantity(number),
          timestamp: quantity(start + period * number),
          extraData,
        },
      };
    }
    return method in others ? { result: others[method] } : { error: { code: -32604, message: "Method not enabled" } };
  }

  /** What its data centre's folder gives a node, as the node reads it. */
  async function nodeTls(host: string): Promise<object> {
    const file = (path: string): Promise<Buffer> => readFile(join(directory, host, path));
    return {
      pfx: await file("besu/tls/server.p12"),
      passphrase: (await file("besu/tls/password")).toString().trim(),
      ca: await readFile(join(directory, "authority/ca.pem")),
      requestCert: true,
      rejectUnauthorized: true,
    };
  }

  async function startNode(host: string): Promise<Server> {
    const server = createServer(await nodeTls(host), (request, response) => {
      void json(request).then((body) => {
        const one = ({ id, method, params }: ParsedJson) => ({
          jsonrpc: "2.0",
          id,
          ...reply(responses.get(host) ?? assert.fail(), method, params),
        });
        response
          .setHeader("Content-Type", "application/json")
          .end(JSON.stringify(Array.isArray(body) ? body.map(one) : one(body)));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return server;
  }

  const urlOf = (host: string): string => `https://127.0.0.1:${(servers.get(host)?.address() as AddressInfo).port}`;
  const findings = async (now = Date.now()): Promise<string[]> => {
    const found = await checkNodes(
      directory,
      network,
      ({ name }) => ({ url: urlOf(name), client: join(directory, name, "operator") }),
      now,
    );
    return found.map(({ where, what }) => `${where}: ${what}`);
  };
  const change = (host: string, changed: Partial<NodeResponses>): void =>
    void Object.assign(responses.get(host) ?? assert.fail(), changed);

  it("finds nothing where the network matches the files, with and without peers and validators", async () => {
    assert.deepEqual(await findings(), []);
    for (const [name, of] of responses) {
      const {
        admin_peers: _peers,
        ibft_getValidatorsByBlockNumber: _validators,
        perm_getNodesAllowlist: _allowed,
        ...others
      } = of;
      responses.set(name, others as NodeResponses);
    }
    assert.deepEqual(await findings(), []);
    for (const name of responses.keys()) change(name, { height: 0 });
    assert.deepEqual(await findings(), []);
  });

  it("reports another chain, other validators, other software and another block period", async () => {
    change("dc-1", { eth_chainId: "0x1" });
    change("dc-2", { genesis: `0x${"33".repeat(32)}` });
    const other = `0x${"44".repeat(20)}`;
    change("dc-3", { ibft_getValidatorsByBlockNumber: [...network.genesis.validators.slice(1), other] });
    change("dc-4", { web3_clientVersion: "besu/v25.1.0/linux-x86_64" });
    change("dc-5", { period: 9 });
    change("customer", { period: 2 });
    const missing = network.hosts.find(({ validator }) => validator === network.genesis.validators[0]);
    assert.deepEqual(await findings(), [
      "dc-1: chain id is 1, not 7330",
      `dc-2: hash of the genesis block is 0x${"33".repeat(32)}, not ${network.genesis.hash}`,
      `dc-3: ${missing?.name} (${missing?.validator}) is not a validator`,
      `dc-3: ${other} is a validator but not in network.json`,
      "dc-4: its client is besu/v25.1.0/linux-x86_64, not besu/v26.8.1 or newer",
      "dc-5: the block period is 9.0 s, not 5 s",
      "customer: the block period is 2.0 s, not 5 s",
    ]);
  });

  it("accepts each version of Besu from a minimum on", async () => {
    const isAccepted = async (client: string): Promise<boolean> => {
      change("dc-1", { web3_clientVersion: client });
      return (await findings()).length === 0;
    };
    const accepted = ["besu/v26.8.1/x", "besu/v26.8.10-RC1/x", "besu/dc-1/v26.10.0/x", "besu/v27.1.0+build/x"];
    const rejected = ["besu/v26.8.0/x", "besu/v26.7.2/x", "besu/v25.12.9/x", "besu/26.9/x", "besu/v26.8.1.1/x", "besu"];
    for (const client of accepted) assert.isTrue(await isAccepted(client), client);
    for (const client of [...rejected, "Geth/v26.9.0/x"]) assert.isFalse(await isAccepted(client), client);
  });

  it("reports a chain without a first block as such, not by the time in the files", async () => {
    const start = Math.floor(Date.now() / 1_000) - 101;
    for (const name of responses.keys()) change(name, { start, height: 0 });
    assert.deepEqual(
      await findings(),
      network.hosts.map(({ name }) => `${name}: it has no block after block 0: blocks come when 4 of 6 nodes run`),
    );
  });

  it("reports a chain that makes no blocks, when missing proposers do not explain it", async () => {
    const start = (age: number): number => Math.floor(Date.now() / 1_000) - age - 5 * 1_000;
    for (const name of responses.keys()) change(name, { start: start(30) });
    assert.deepEqual(await findings(), []);
    change("dc-2", { start: start(134) });
    assert.match(
      (await findings()).join("\n"),
      /^dc-2: its newest block, 1000, is 13[45] s old: the network makes no blocks$/,
    );
  });

  it("reports unlisted peers, missing peers and lagging nodes", async () => {
    const [, second, third] = network.hosts.map(({ publicKey }) => peerOf(publicKey));
    const unlisted = `0x${testValidators(1, "unlisted").keys[0]?.publicKey.slice(4)}`;
    change("dc-1", { admin_peers: [second, third, peerOf(unlisted)] });
    change("dc-2", { admin_peers: undefined, net_peerCount: "0x3" });
    responses.set(
      "dc-2",
      Object.fromEntries(
        Object.entries(responses.get("dc-2") ?? {}).filter(([method]) => method !== "admin_peers"),
      ) as NodeResponses,
    );
    change("dc-3", { height: 990 });
    const [first, ...allowed] = network.hosts.map(({ publicKey }) => `enode://${publicKey.slice(2)}@10.0.0.1:30303`);
    change("dc-4", { perm_getNodesAllowlist: [...allowed, first?.replace(/[0-9a-f]{128}/, unlisted.slice(2))] });
    assert.deepEqual(await findings(), [
      "dc-1: dc-4 is not connected",
      "dc-1: dc-5 is not connected",
      "dc-1: customer is not connected",
      `dc-1: an unlisted peer is connected: ${unlisted}`,
      "dc-2: 3 peers are connected, not 5",
      "dc-3: lags the highest node by 10 blocks: its newest block is 990",
      "dc-4: dc-1 may not connect: the node list is outdated",
      `dc-4: an unlisted node may connect: ${unlisted}`,
    ]);
  });

  it("reports a node with malformed responses, and one that rejects requests", async () => {
    change("dc-1", { net_peerCount: "many" });
    change("dc-2", { ibft_getValidatorsByBlockNumber: ["0x1"] });
    responses.set("dc-3", { start: START, height: 1_000, period: 5, genesis: network.genesis.hash });
    const cannot = (name: string, why: string): string => `${name}: cannot be queried at ${urlOf(name)}: ${why}`;
    assert.deepEqual(await findings(), [
      cannot("dc-1", "the node's response to net_peerCount is malformed"),
      cannot("dc-2", "the node's response to ibft_getValidatorsByBlockNumber is malformed"),
      cannot("dc-3", "Method not enabled"),
    ]);
  });

  it("reports expiring and foreign certificates, and unreachable nodes", async () => {
    assert.include(await findings(Date.now() + 380 * 86_400_000), "dc-1: expires in 16 days: rotate it");
    await rotate(directory, ["dc-4"]);
    assert.deepEqual(await findings(), [
      "dc-4: presents another certificate than dc-4/besu/tls/server.pem: copy the file and restart the node",
    ]);
    servers.get("dc-4")?.setSecureContext(await nodeTls("dc-4"));
    assert.deepEqual(await findings(), []);
    const found = await checkNodes(
      directory,
      network,
      ({ name }) => ({
        url: name === "dc-5" ? "https://127.0.0.1:1" : urlOf(name),
        client: join(directory, name, "operator"),
      }),
      Date.now(),
    );
    assert.deepEqual(
      found.map(({ where }) => where),
      ["dc-5"],
    );
    assert.match(
      found[0]?.what ?? "",
      /^cannot be queried at https:\/\/127\.0\.0\.1:1: the chain's node does not respond: .*ECONNREFUSED/,
    );
  });

  describe("uses the same connections as the relayer", () => {
    const request = (
      files: { certificate: string; key: string },
      authority = join(directory, "relayer/tls/ca.pem"),
    ): Promise<number> => fetchChainId(urlOf("dc-1"), peerTlsOptions({ client: files, authority }, NODE));
    const relayer = () => ({
      certificate: join(directory, "relayer/tls/client.pem"),
      key: join(directory, "relayer/tls/client.key"),
    });
    const write = async (name: string, { certificate, key }: { certificate: string; key: string }) => {
      const files = { certificate: join(temporary, `${name}.pem`), key: join(temporary, `${name}.key`) };
      await writeFile(files.certificate, certificate);
      await writeFile(files.key, key);
      return files;
    };
    const own = async () =>
      authorityOf(
        await readFile(join(directory, "authority/ca.pem"), "utf8"),
        await importKey(await readFile(join(directory, "authority/ca.key"), "utf8")),
      );
    const foreign = async () => {
      const { certificate, key } = await makeAuthority();
      return { certificate, authority: authorityOf(certificate, await importKey(key)) };
    };

    it("with its certificate", async () => {
      assert.equal(await request(relayer()), network.plan.chainId);
    });

    it("and not with a certificate that is expired, from another authority, or missing", async () => {
      const subject = { name: "relayer", usage: "client" } as const;
      // The message depends on the event that is read first: the node's reason, or the closed connection.
      const refused = /no TLS connection to the node|does not respond/;
      const expired = await write("expired", await (await own()).issue(subject, -1));
      const unlisted = await write("strange", await (await foreign()).authority.issue(subject));
      for (const files of [expired, unlisted]) {
        assert.match((await thrownBy(request(files))).message, refused);
        assert.equal(await request(relayer()), network.plan.chainId);
      }
      const nothing = fetchChainId(
        urlOf("dc-1"),
        peerTlsOptions({ authority: join(directory, "relayer/tls/ca.pem") }, NODE),
      );
      assert.match((await thrownBy(nothing)).message, refused);
    });

    it("to no node with an expired certificate, or one from another authority", async () => {
      const server = servers.get("dc-1") ?? assert.fail();
      const show = async (issuer: Authority, days: number) => {
        const { certificate, key } = await issuer.issue(
          { name: "dc-1", usage: "server", addresses: ["127.0.0.1"] },
          days,
        );
        const pfx = Buffer.from(await keyStore({ key: derOf(key), certificates: [derOf(certificate)] }, "secret"));
        server.setSecureContext({ ...(await nodeTls("dc-1")), pfx, passphrase: "secret" });
      };
      await show(await own(), -1);
      assert.match((await thrownBy(request(relayer()))).message, /certificate has expired/);
      assert.deepEqual((await findings()).filter((line) => /expired/.test(line)).length, 1);
      await show((await foreign()).authority, 30);
      assert.match(
        (await thrownBy(request(relayer()))).message,
        /no TLS connection to the node \(RPC_TLS_CA_FILE, .*certificate/,
      );
      // The check has no such variables: it goes by the folder of the certificate that it shows.
      const [finding = "", ...others] = await findings();
      assert.isEmpty(others);
      assert.include(finding, `dc-1: cannot be queried at ${urlOf("dc-1")}: no TLS connection to the node (`);
      assert.include(finding, join(directory, "dc-1/operator/ca.pem"));
      server.setSecureContext(await nodeTls("dc-1"));
      assert.equal(await request(relayer()), network.plan.chainId);
    });

    it("with certificates of either authority during a change of the authority", async () => {
      const server = servers.get("dc-1") ?? assert.fail();
      await rotateAuthority(directory);
      for (const name of ["nobody", "relayer", "dc-1"]) {
        if (name !== "nobody") await rotate(directory, [name]);
        server.setSecureContext(await nodeTls("dc-1"));
        assert.equal(await request(relayer()), network.plan.chainId, `after ${name}`);
      }
    });
  });
});
