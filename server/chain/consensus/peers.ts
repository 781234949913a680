import { readFileSync } from "node:fs";
import { computeAddress } from "ethers";
import * as z from "zod";
import { SealbookError } from "../../errors.ts";
import { ifNodeError, type Rpc } from "../rpc/rpc.ts";
import { Quantity } from "../rpc/query.ts";

/** A node of the network, by its enode URL. */
export interface Enode {
  /** Public key, 128 hexadecimal digits in lower case. */
  readonly id: string;
  /** The address of the key, lower-case; a validator's own address. */
  readonly address: string;
  /** Host and port of the peer-to-peer protocol. */
  readonly endpoint: string;
}

const ENODE = /^enode:\/\/([0-9a-fA-F]{128})@([^/?#]+)(?:[?#].*)?$/;
const Enodes = z.array(z.string());

/** Parses an enode URL; `undefined` for any other text. */
export function parseEnode(url: string): Enode | undefined {
  const [, key, endpoint] = ENODE.exec(url) ?? [];
  if (key === undefined || endpoint === undefined) return undefined;
  const id = key.toLowerCase();
  const address = addressOf(id);
  return address === undefined ? undefined : { id, address, endpoint };
}

/** @returns `undefined` when the digits are no point of the curve */
function addressOf(id: string): string | undefined {
  try {
    return computeAddress(`0x04${id}`).toLowerCase();
  } catch {
    return undefined;
  }
}

/**
 * Reads the nodes of a network from a file in the format of `static-nodes.json`.
 * @throws SealbookError `config_invalid`
 */
export function readNodeList(path: string): readonly Enode[] {
  return parsed(path).map((url) => {
    const enode = parseEnode(url);
    if (enode === undefined)
      throw new SealbookError("config_invalid", `NODE_LIST_FILE: ${path} has "${url}", which is not an enode URL`);
    return enode;
  });
}

function parsed(path: string): readonly string[] {
  try {
    return Enodes.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch (cause) {
    throw new SealbookError("config_invalid", `NODE_LIST_FILE: ${path} is not a JSON list of enode URLs`, { cause });
  }
}

/** A node, identified by the address of its key. */
export interface PeerIdentity {
  readonly address: string;
  /** Host and port. */
  readonly endpoint: string;
}

/** The connections of a node, compared with the list of its network's nodes. */
interface PeerReport {
  readonly count: number;
  /** Expected number of peers; `undefined` without a list. */
  readonly listed: number | undefined;
  /** Listed nodes without a connection; none for a node that does not return its peers. */
  readonly missing: readonly PeerIdentity[];
  /** Connected nodes that are not on the list. */
  readonly unlisted: readonly PeerIdentity[];
}

/**
 * Compares a node's peers with the list of nodes.
 * @param count The node's own count
 * @param connected `undefined` for a node that does not return its peers
 * @param list `undefined` without a list
 * @param self The node's own address, which is on the list and no peer
 */
export function comparePeers(
  count: number,
  connected: readonly PeerIdentity[] | undefined,
  list: readonly PeerIdentity[] | undefined,
  self: string | undefined,
): PeerReport {
  if (list === undefined) return { count, listed: undefined, missing: [], unlisted: [] };
  const others = list.filter(({ address }) => address !== self);
  // A node without a known address may be on the list itself.
  const listed = self === undefined ? Math.max(0, others.length - 1) : others.length;
  if (connected === undefined) return { count, listed, missing: [], unlisted: [] };
  const isAmong =
    (nodes: readonly PeerIdentity[]) =>
    ({ address }: PeerIdentity) =>
      nodes.some((node) => node.address === address);
  const missing = self === undefined ? [] : others.filter((node) => !isAmong(connected)(node));
  return { count, listed, missing, unlisted: connected.filter((node) => !isAmong(list)(node)) };
}

const Named = z.object({ enode: z.string() });
const Peers = z.array(Named);

/** Fetches a node's peers; methods that the node lacks leave fields `undefined`. */
export async function fetchPeers(rpc: Pick<Rpc, "call">, list: readonly Enode[] | undefined): Promise<PeerReport> {
  const [count, peers, own] = await Promise.all([
    rpc.call("net_peerCount", []).catch(ifNodeError("0x0")),
    rpc.call("admin_peers", []).catch(ifNodeError(undefined)),
    ownEnode(rpc),
  ]);
  const named = Peers.safeParse(peers);
  const connected = named.success ? named.data.flatMap(({ enode }) => parseEnode(enode) ?? []) : undefined;
  const number = Quantity.safeParse(count);
  return comparePeers(number.success ? number.data : 0, connected, list, own?.address);
}

/** Besu has `net_enode`, without the API that can add peers; GoQuorum has only `admin_nodeInfo`. */
async function ownEnode(rpc: Pick<Rpc, "call">): Promise<Enode | undefined> {
  const own = await rpc.call("net_enode", []).catch(ifNodeError(undefined));
  if (own !== undefined) return parseEnode(String(own));
  const info = Named.safeParse(await rpc.call("admin_nodeInfo", []).catch(ifNodeError(undefined)));
  return info.success ? parseEnode(info.data.enode) : undefined;
}
