import type { Address } from "../chain/transaction.ts";

/** System statistics that the panel shows. */
export interface ServiceStatistics {
  readonly records: number;
  readonly accounts: number;
  /** Live sessions. */
  readonly sessions: number;
  /** Number of the newest block. */
  readonly block: number;
  /** Seconds since the server started. */
  readonly uptime: number;
}

/** Pieces of HTML that the panel shows. */
export interface PanelFragments {
  /** The parts of the panel that this server offers. */
  readonly extensions: readonly { name: string; title: string; version: string }[];
  login(view: { formToken: string }): string;
  area(view: {
    account: Address;
    token: string;
    secureKey: string;
    /** Seconds the session has left. */
    remaining: number;
    statistics: ServiceStatistics;
    log: readonly { time: string; level: string; message: string }[];
    formToken: string;
  }): string;
}
