/** A deviation from network.json. */
export interface Finding {
  /** A file relative to the network's folder, or a data centre. */
  readonly where: string;
  readonly what: string;
}
