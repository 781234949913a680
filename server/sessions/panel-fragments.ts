import type { Address } from "../chain/transaction.ts";

/** System statistics in the panel. */
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

/** HTML fragments of the panel. */
export interface PanelFragments {
  /** Panel extensions that this server provides. */
  readonly extensions: readonly { name: string; title: string; version: string }[];
  login(view: { formToken: string }): string;
  area(view: {
    account: Address;
    token: string;
    secureKey: string;
    /** Remaining seconds of the session. */
    remaining: number;
    statistics: ServiceStatistics;
    log: readonly { time: string; level: string; message: string }[];
    formToken: string;
  }): string;
}
