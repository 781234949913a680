import type { Report } from "./report.ts";

/** Inputs of a section. */
export interface Bench {
  readonly report: Report;
  /** Folder for all files of the run. */
  readonly root: string;
  /** A short run that checks the sections; its figures are not significant. */
  readonly quick: boolean;
  /** Measured seconds. */
  readonly seconds: number;
  /** Warm-up seconds, which do not count: code is compiled, connections and caches are filled. */
  readonly warmUpSeconds: number;
}

/** Measures one thing and reports it. */
export type Section = (bench: Bench) => Promise<void>;
