/** Something that is not as it should be. */
export interface Finding {
  /** A file below the network's folder, or a data centre. */
  readonly where: string;
  readonly what: string;
}
