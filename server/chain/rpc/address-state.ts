/** One of the addresses at which the chain's nodes are asked. */
export interface AddressState {
  /** Without name, password and query. */
  readonly address: string;
  /** Whether calls go there. */
  readonly active: boolean;
  readonly reachable: boolean;
  /** The newest block that the node has; `undefined` before it was first asked. */
  readonly blockNumber: number | undefined;
  /** Why it is not used. */
  readonly reason: string | undefined;
}
