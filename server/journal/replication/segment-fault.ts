/** A fault of a segment at a target, with its position. */
export class SegmentFault extends Error {
  readonly segment: number;
  /** Sequence of the invalid entry, when the fault concerns a single entry. */
  readonly sequence: number | undefined;

  constructor(segment: number, message: string, sequence?: number) {
    super(`segment ${segment}${sequence === undefined ? "" : `, entry ${sequence}`}: ${message}`);
    this.name = "SegmentFault";
    this.segment = segment;
    this.sequence = sequence;
  }
}
