/** What is wrong with a segment at a target, and where. */
export class SegmentFault extends Error {
  readonly segment: number;
  /** Sequence of the entry at fault, where the fault is a single entry's. */
  readonly sequence: number | undefined;

  constructor(segment: number, message: string, sequence?: number) {
    super(`segment ${segment}${sequence === undefined ? "" : `, entry ${sequence}`}: ${message}`);
    this.name = "SegmentFault";
    this.segment = segment;
    this.sequence = sequence;
  }
}
