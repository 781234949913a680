/** Maximum number of hashes under one root; the contract rejects more. */
export const MAX_TREE_SIZE = 1000;
