import type { ChainExplorer } from "./explorer.ts";

/** Something on the chain that answers a search. */
export type Finding =
  | { readonly kind: "block"; readonly number: number; readonly hash: string }
  | { readonly kind: "transaction"; readonly hash: string }
  | { readonly kind: "anchor"; readonly hash: string; readonly size: number }
  | { readonly kind: "address"; readonly address: string }
  | { readonly kind: "session"; readonly hash: string };

/** What can be looked for. */
export type Sought =
  | { readonly kind: "number"; readonly number: number }
  | { readonly kind: "hash"; readonly hash: string }
  | { readonly kind: "address"; readonly address: string };

const NO_PAGE = { limit: 1 };

/** Everything on the chain that goes by a number, a hash or an address; a hash alone does not say what it is of. */
export async function search(explorer: ChainExplorer, sought: Sought): Promise<Finding[]> {
  if (sought.kind === "address") return [{ kind: "address", address: sought.address }];
  if (sought.kind === "number") {
    const block = await explorer.block(sought.number, NO_PAGE);
    return block === undefined ? [] : [{ kind: "block", number: block.number, hash: block.hash }];
  }
  const { hash } = sought;
  const [block, transaction, anchor, isSession] = await Promise.all([
    explorer.block(hash, NO_PAGE),
    explorer.transaction(hash),
    explorer.anchor(hash),
    explorer.knowsSession(hash),
  ]);
  return [
    ...(block === undefined ? [] : [{ kind: "block", number: block.number, hash } as const]),
    ...(transaction === undefined ? [] : [{ kind: "transaction", hash } as const]),
    ...(anchor === undefined ? [] : [{ kind: "anchor", hash, size: anchor.size } as const]),
    ...(isSession ? [{ kind: "session", hash } as const] : []),
  ];
}
