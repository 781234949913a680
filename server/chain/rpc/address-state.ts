/** The state of one of the configured node addresses. */
export interface AddressState {
  /** Without name, password and query. */
  readonly address: string;
  /** Whether calls go to this address. */
  readonly active: boolean;
  readonly reachable: boolean;
  /** The node's newest block; `undefined` before the first check. */
  readonly blockNumber: number | undefined;
  /** Why the address is not used. */
  readonly reason: string | undefined;
}
