import type { Report } from "./report.ts";

/** What a section works with. */
export interface Bench {
  readonly report: Report;
  /** Folder for everything that the run writes. */
  readonly root: string;
  /** A short run, to see that everything works; its figures mean little. */
  readonly quick: boolean;
  /** Seconds that a measurement counts. */
  readonly seconds: number;
  /** Seconds before it that do not count: code is compiled, connections and caches are filled. */
  readonly warmUpSeconds: number;
}

/** Measures one thing and reports it. */
export type Section = (bench: Bench) => Promise<void>;
