import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { connect } from "node:tls";
import { connectRpc } from "../server/chain/rpc/connect.ts";
import { NODE, type PeerTlsOptions, peerTlsOptions, type TlsPeer } from "../server/chain/rpc/peer-tls.ts";
import { SealbookError } from "../server/errors.ts";
import { quorumOf } from "../server/chain/evidence/consensus-seals.ts";
import { derOf } from "./authority.ts";
import { expiry, type Finding } from "./check-files.ts";
import { CLIENT_FILES, serverCertificatePath } from "./credentials.ts";
import { MINIMUM_BESU_VERSION, type Network, type NetworkHost } from "./network-file.ts";
import { fetchNodeFacts, type NodeFacts } from "./node-facts.ts";
import { nodeErrorIn } from "../server/chain/rpc/rpc.ts";

/** Allowed lag of a node, without the blocks that came between the queries of two nodes. */
const MAX_LAG_BLOCKS = 3;
/** Tolerance for one round change and for clock differences. */
const SLOW_FACTOR = 1.5;
const FAST_SECONDS = 0.5;
/** Waits of two missing proposers in a row, in request timeouts: the second one is twice as long. */
const TIMEOUTS_OF_TWO = 3;
const RESPONSE_TIMEOUT_MILLISECONDS = 15_000;

/** Access to a data centre's node. */
export interface Access {
  readonly url: string;
  /** Folder of the client certificate; see {@link CLIENT_FILES}. */
  readonly client: string;
}

/**
 * Checks a running network against its files.
 * @param accessOf Returns `undefined` for a node that is not queried
 */
export async function checkNodes(
  directory: string,
  network: Network,
  accessOf: (host: NetworkHost) => Access | undefined,
  now: number,
): Promise<Finding[]> {
  const checks = network.hosts.flatMap((host) => {
    const access = accessOf(host);
    return access === undefined ? [] : [checkNode(directory, network, host, access, now)];
  });
  const results = await Promise.all(checks);
  const queried = results.flatMap(({ facts }) => facts ?? []);
  return results.flatMap(({ host, facts, findings }) => {
    const lag = facts === undefined ? 0 : lagOf(facts, queried, network.plan.blockPeriodSeconds);
    return lag > MAX_LAG_BLOCKS
      ? [
          ...findings,
          { where: host.name, what: `lags the highest node by ${lag} blocks: its newest block is ${facts?.height}` },
        ]
      : findings;
  });
}

/** Returns by how many blocks a node lags, at the time of its own response. */
export function lagOf(
  node: Pick<NodeFacts, "height" | "heightAt">,
  others: readonly Pick<NodeFacts, "height" | "heightAt">[],
  blockPeriodSeconds: number,
): number {
  const lags = others.map(({ height, heightAt }) => {
    const blocksBetween = Math.max(0, heightAt - node.heightAt) / (blockPeriodSeconds * 1_000);
    return height - node.height - Math.ceil(blocksBetween);
  });
  return Math.max(0, ...lags);
}

interface NodeCheck {
  readonly host: NetworkHost;
  readonly facts?: NodeFacts;
  readonly findings: readonly Finding[];
}

async function checkNode(
  directory: string,
  network: Network,
  host: NetworkHost,
  { url, client }: Access,
  now: number,
): Promise<NodeCheck> {
  try {
    const peer = peerOf(client);
    const tls = url.startsWith("https:") ? clientTls(peer) : undefined;
    const facts = await queryOnce(url, network, tls ?? {}, peer);
    const shown = tls === undefined ? [] : await checkShown(directory, host, url, tls, now);
    return {
      host,
      facts,
      findings: [...differencesOf(network, host, facts).map((what) => ({ where: host.name, what })), ...shown],
    };
  } catch (error) {
    if (!(error instanceof SealbookError)) throw error;
    const { message, cause } = error;
    const why = cause instanceof Error && !message.includes(cause.message) ? `: ${cause.message}` : "";
    const reason = nodeErrorIn(error)?.message ?? `${message}${why}`;
    return { host, findings: [{ where: host.name, what: `cannot be queried at ${url}: ${reason}` }] };
  }
}

async function queryOnce(url: string, { plan }: Network, tls: PeerTlsOptions, peer: TlsPeer): Promise<NodeFacts> {
  const rpc = connectRpc(url, plan.chainId, tls, peer);
  try {
    return await fetchNodeFacts(rpc, plan.consensus);
  } finally {
    rpc.close();
  }
}

/** Names these files by path in messages, because no environment variable sets them. */
function peerOf(client: string): TlsPeer {
  const at = (file: keyof typeof CLIENT_FILES): string => join(client, CLIENT_FILES[file]);
  return { ...NODE, certificate: at("certificate"), key: at("key"), authority: at("authority") };
}

function clientTls(peer: TlsPeer): PeerTlsOptions {
  const { certificate, key, authority } = peer;
  return peerTlsOptions({ client: { certificate, key }, authority }, peer);
}

function differencesOf({ plan, genesis, hosts }: Network, host: NetworkHost, facts: NodeFacts): string[] {
  const found: string[] = [];
  const compare = (field: string, actual: unknown, expected: unknown): void => {
    if (actual !== expected) found.push(`${field} is ${String(actual)}, not ${String(expected)}`);
  };
  compare("chain id", facts.chainId, plan.chainId);
  compare("hash of the genesis block", facts.genesisHash, genesis.hash);
  for (const { name, validator } of hosts)
    if (!facts.validators.includes(validator)) found.push(`${name} (${validator}) is not a validator`);
  for (const validator of facts.validators) {
    if (!hosts.some((entry) => entry.validator === validator))
      found.push(`${validator} is a validator but not in network.json`);
  }
  found.push(...peerDifferences(hosts, host, facts));
  if (!isSupported(facts.clientVersion))
    found.push(`its client is ${facts.clientVersion}, not besu/v${MINIMUM_BESU_VERSION} or newer`);
  const { blockPeriodSeconds: period, newestAgeSeconds, height } = facts;
  const slowest = Math.max(plan.blockPeriodSeconds, plan.emptyBlockPeriodSeconds ?? 0) * SLOW_FACTOR;
  if (period !== undefined && (period < plan.blockPeriodSeconds - FAST_SECONDS || period > slowest)) {
    found.push(`the block period is ${period.toFixed(1)} s, not ${plan.blockPeriodSeconds} s`);
  }
  // The time of block 0 is that of the files.
  if (newestAgeSeconds > slowest + TIMEOUTS_OF_TWO * plan.requestTimeoutSeconds)
    found.push(
      height === 0
        ? `it has no block after block 0: blocks come when ${quorumOf(hosts.length)} of ${hosts.length} nodes run`
        : `its newest block, ${height}, is ${Math.round(newestAgeSeconds)} s old: the network makes no blocks`,
    );
  return found;
}

/** @param client As a node returns it, with an identity between the two parts: "besu/dc-1/v26.9.0/linux-x86_64/..." */
function isSupported(client: string): boolean {
  const [, version] = /^besu\/(?:[^/]*\/)?v(\d+\.\d+\.\d+)(?![\d.])/.exec(client) ?? [];
  return version !== undefined && version.localeCompare(MINIMUM_BESU_VERSION, "en", { numeric: true }) >= 0;
}

function peerDifferences(
  hosts: readonly NetworkHost[],
  host: NetworkHost,
  { peers, peerCount, allowed }: NodeFacts,
): string[] {
  const others = hosts.filter(({ name }) => name !== host.name);
  const lists =
    allowed === undefined
      ? []
      : [
          ...others
            .filter(({ publicKey }) => !allowed.includes(publicKey))
            .map(({ name }) => `${name} may not connect: the node list is outdated`),
          ...allowed
            .filter((id) => !hosts.some(({ publicKey }) => publicKey === id))
            .map((id) => `an unlisted node may connect: ${id}`),
        ];
  if (peers === undefined) {
    return peerCount === others.length ? lists : [...lists, `${peerCount} peers are connected, not ${others.length}`];
  }
  const missing = others
    .filter(({ publicKey }) => !peers.includes(publicKey))
    .map(({ name }) => `${name} is not connected`);
  const unlisted = peers
    .filter((id) => !hosts.some(({ publicKey }) => publicKey === id))
    .map((id) => `an unlisted peer is connected: ${id}`);
  return [...lists, ...missing, ...unlisted];
}

/** Checks that the node uses the certificate in its folder. A node uses the old one until its restart. */
async function checkShown(
  directory: string,
  { name }: NetworkHost,
  url: string,
  tls: PeerTlsOptions,
  now: number,
): Promise<Finding[]> {
  const shown = await certificateAt(new URL(url), tls);
  const expired = expiry(name, shown, now);
  const file = serverCertificatePath(name);
  const expected = await readFile(join(directory, file), "utf8").catch(() => undefined);
  if (expected === undefined || fingerprint(expected) === fingerprint(shown)) return expired;
  return [
    ...expired,
    { where: name, what: `presents another certificate than ${file}: copy the file and restart the node` },
  ];
}

function certificateAt({ hostname, port }: URL, tls: PeerTlsOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(
      { ...tls, host: hostname, port: Number(port === "" ? 443 : port), timeout: RESPONSE_TIMEOUT_MILLISECONDS },
      () => {
        const certificate = socket.getPeerX509Certificate();
        socket.end();
        if (certificate === undefined) reject(new Error("the node presents no certificate"));
        else resolve(certificate.toString());
      },
    );
    socket.once("timeout", () => socket.destroy(new Error("the node does not respond")));
    socket.once("error", (cause) =>
      reject(new SealbookError("chain_unavailable", "the node ends the TLS connection", { cause })),
    );
  });
}

function fingerprint(pem: string): string {
  return createHash("sha256").update(derOf(pem)).digest("hex");
}
