import { z } from "zod";
import { comparePeers, type PeerReport } from "./peer-comparison.ts";
import { ifNodeError } from "../rpc/if-node-error.ts";
import { Quantity } from "../rpc/fields.ts";
import type { Rpc } from "../rpc/rpc.ts";
import { type Enode, parseEnode } from "./enode.ts";

const Peers = z.array(z.object({ enode: z.string() }));

/** Fetches a node's peers; methods that the node lacks leave fields `undefined`. */
export async function fetchPeers(rpc: Pick<Rpc, "call">, list: readonly Enode[] | undefined): Promise<PeerReport> {
  const [count, peers, own] = await Promise.all([
    rpc.call("net_peerCount", []).catch(ifNodeError("0x0")),
    rpc.call("admin_peers", []).catch(ifNodeError(undefined)),
    rpc.call("net_enode", []).catch(ifNodeError(undefined)),
  ]);
  const named = Peers.safeParse(peers);
  const connected = named.success ? named.data.flatMap(({ enode }) => parseEnode(enode) ?? []) : undefined;
  const number = Quantity.safeParse(count);
  return comparePeers(number.success ? number.data : 0, connected, list, parseEnode(String(own))?.address);
}
