/** Figures of one load. */
export interface LoadFigures {
  /** Counted confirmed responses. */
  readonly count: number;
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  /** Responses 202: accepted, but not confirmed in time. They do not count. */
  readonly pending: number;
}

/** Computes the figures of latencies in milliseconds; sorts them in place. */
export function figuresOf(latencies: number[], count: number, seconds: number, pending: number): LoadFigures {
  latencies.sort((a, b) => a - b);
  const at = (share: number): number => latencies[Math.ceil(latencies.length * share) - 1] ?? Number.NaN;
  return { count, perSecond: count / seconds, p50: at(0.5), p95: at(0.95), p99: at(0.99), pending };
}

/** The figures other than the rate, in the form of a report. */
export function latencyDetails({ p50, p95, p99, pending }: LoadFigures): Record<string, number> {
  return { p50_ms: p50, p95_ms: p95, p99_ms: p99, ...(pending === 0 ? {} : { pending_responses: pending }) };
}
