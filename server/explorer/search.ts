import { getAddress } from "ethers";
import type { ChainExplorer } from "./explorer.ts";

/** An object on the chain that matches a search. */
export type Finding =
  | { readonly kind: "block"; readonly number: number; readonly hash: string }
  | { readonly kind: "transaction"; readonly hash: string }
  | { readonly kind: "anchor"; readonly hash: string; readonly size: number }
  | { readonly kind: "address"; readonly address: string }
  | { readonly kind: "session"; readonly hash: string };

/** The kinds of search terms. */
export type Sought =
  | { readonly kind: "number"; readonly number: number }
  | { readonly kind: "hash"; readonly hash: string }
  | { readonly kind: "address"; readonly address: string };

const NO_PAGE = { limit: 1 };

/**
 * Finds everything on the chain with a number, a hash or an address; the form of a hash does not determine its kind.
 */
export async function search(explorer: ChainExplorer, sought: Sought): Promise<Finding[]> {
  if (sought.kind === "address") return [{ kind: "address", address: getAddress(sought.address) }];
  if (sought.kind === "number") {
    const block = await explorer.block(sought.number, NO_PAGE);
    return block === undefined ? [] : [{ kind: "block", number: block.number, hash: block.hash }];
  }
  const { hash } = sought;
  const [block, isTransaction, anchor, isSession] = await Promise.all([
    explorer.block(hash, NO_PAGE),
    explorer.hasTransaction(hash),
    explorer.anchor(hash),
    explorer.knowsSession(hash),
  ]);
  return [
    ...(block === undefined ? [] : [{ kind: "block", number: block.number, hash } as const]),
    ...(isTransaction ? [{ kind: "transaction", hash } as const] : []),
    ...(anchor === undefined ? [] : [{ kind: "anchor", hash, size: anchor.size } as const]),
    ...(isSession ? [{ kind: "session", hash } as const] : []),
  ];
}
