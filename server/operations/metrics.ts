import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";

/** Standard gauges with the suffix `_total`, which is for counters; other standard metrics have their values. */
const MISNAMED = ["nodejs_active_handles_total", "nodejs_active_requests_total", "nodejs_active_resources_total"];
const LOGIN_RESULTS = ["accepted", "refused", "locked_out"];

/**
 * Metrics in the Prometheus text format: the standard ones of process and Node (CPU, memory, event loop), counters of
 * business events, and the gauges that the parts of the server register.
 */
export class Metrics {
  readonly registry = new Registry();
  readonly #registers = [this.registry];

  readonly proofsAccepted = new Counter({
    name: "sealbook_proofs_accepted_total",
    help: "Proofs accepted",
    registers: this.#registers,
  });
  readonly proofConfirmation = new Histogram({
    name: "sealbook_proof_confirmation_seconds",
    help: "Time from acceptance to confirmation of a proof",
    buckets: [0.01, 0.03, 0.1, 0.3, 1, 3, 6, 12, 30, 60],
    registers: this.#registers,
  });
  readonly batchSize = new Histogram({
    name: "sealbook_batch_size_hashes",
    help: "Hashes that share a transaction",
    buckets: [1, 3, 10, 30, 100, 300, 1000],
    registers: this.#registers,
  });
  readonly anchorFailures = new Counter({
    name: "sealbook_anchor_failures_total",
    help: "Times that the chain rejected an anchor",
    registers: this.#registers,
  });
  readonly recordsStored = new Counter({
    name: "sealbook_records_stored_total",
    help: "Records stored",
    registers: this.#registers,
  });
  readonly foreignWrites = new Counter({
    name: "sealbook_foreign_writes_total",
    help: "Rows in the server's table by other transactions than its own",
    registers: this.#registers,
  });
  readonly logins = new Counter({
    name: "sealbook_logins_total",
    help: "Logins by result",
    labelNames: ["result"],
    registers: this.#registers,
  });
  readonly divergences = new Counter({
    name: "sealbook_journal_divergences_total",
    help: "Divergences of journal, replicas and chain, once each",
    registers: this.#registers,
  });
  readonly corrections = new Counter({
    name: "sealbook_journal_corrections_total",
    help: "Divergences of journal and chain that the server corrected",
    registers: this.#registers,
  });
  readonly connectionsRefused = new Counter({
    name: "sealbook_http_connections_refused_total",
    help: "Connections above the limit of their source, or of the server",
    registers: this.#registers,
  });
  readonly httpRequests = new Histogram({
    name: "sealbook_http_request_duration_seconds",
    help: "Time from an HTTP request to its response",
    labelNames: ["method", "route", "status"],
    buckets: [0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 12, 30],
    registers: this.#registers,
  });

  /** @param version Of the server; the value of a label */
  constructor(version: string) {
    collectDefaultMetrics({ register: this.registry });
    for (const name of MISNAMED) this.registry.removeSingleMetric(name);
    const help = "Always 1, with the version";
    new Gauge({ name: "sealbook_build_info", help, labelNames: ["version"], registers: this.#registers }).set(
      { version },
      1,
    );
    // A rate needs a zero before the first event.
    for (const result of LOGIN_RESULTS) this.logins.inc({ result }, 0);
  }

  /**
   * Registers a gauge, in place of one with this name.
   * @param read Runs when the metrics are read; the gauge is left out when it returns `undefined` or fails
   */
  gauge(name: string, help: string, read: () => Promise<number | undefined> | number | undefined): void {
    this.registry.removeSingleMetric(name);
    new Gauge({
      name,
      help,
      registers: this.#registers,
      async collect() {
        try {
          const value = await read();
          if (value === undefined) this.remove();
          else this.set(value);
        } catch {
          this.remove();
        }
      },
    });
  }

  /**
   * Registers a gauge with one label, in place of one with this name.
   * @param read Runs when the metrics are read and returns a value for each label; the gauge is left out when it fails
   */
  gaugeBy(
    label: string,
    name: string,
    help: string,
    read: () => Promise<Iterable<readonly [string, number]>> | Iterable<readonly [string, number]>,
  ): void {
    this.registry.removeSingleMetric(name);
    new Gauge({
      name,
      help,
      registers: this.#registers,
      labelNames: [label],
      async collect() {
        this.reset();
        try {
          for (const [value, number] of await read()) this.set({ [label]: value }, number);
        } catch {
          this.reset();
        }
      },
    });
  }
}
