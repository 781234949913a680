import { statfs } from "node:fs/promises";
import type { Database } from "../journal/engine/database.ts";
import { type Clock, every, type Interval, within } from "../kit/time.ts";
import type { JournalEvents } from "../journal/events.ts";
import { reasonOf, SealbookError } from "../errors.ts";

/** Writes the row of the probe; returns when it is on disk. */
export async function probeDatabase(database: Database, clock: Clock): Promise<void> {
  const row = { written_at: clock() };
  await database
    .insertInto("storage_probe")
    .values({ id: 1, ...row })
    .onConflict((conflict) => conflict.column("id").doUpdateSet(row))
    .execute();
}

/** Returns the free space on the fullest disk of some folders, in bytes. */
export async function freeBytesOf(directories: readonly string[]): Promise<number> {
  const disks = await Promise.all(directories.map((directory) => statfs(directory)));
  return Math.min(...disks.map(({ bavail, bsize }) => bavail * bsize));
}

const INTERVAL_MILLISECONDS = 2_000;
/** Time after which a write that has not returned counts as failed: a disk can hang. */
const PROBE_MILLISECONDS = 10_000;

interface StorageMonitorDeps {
  /** Returns the fault of the journal's files; `undefined` without one. Takes microseconds. */
  readonly fault: () => string | undefined;
  /** Whether the last write to the journal failed. */
  readonly isFailing: () => boolean;
  /** Writes to the journal's database; returns when the write is on disk. */
  readonly probe: () => Promise<void>;
  /** Returns the free space on the disk of the journal, in bytes. */
  readonly freeBytes: () => Promise<number>;
  /** Free space below which nothing new is accepted. */
  readonly minimumFreeBytes: number;
  /** Free space below which an alert is raised. */
  readonly lowFreeBytes: number;
  /** Receives why there is too little space; `undefined` when there is enough. */
  readonly onSpace: (lack: string | undefined) => void;
  readonly telemetry: Pick<JournalEvents, "journalProbed" | "storageFailing" | "storageRestored">;
}

/** The state of the journal's storage. */
export interface StorageState {
  /** Whether the journal can be written. */
  readonly writable: boolean;
  /** Why the journal cannot be written, or soon cannot. */
  readonly fault: string | undefined;
  /** As of the last check. */
  readonly freeBytes: number | undefined;
}

/** Checks regularly whether the journal's files are in place, its database can be written, and its disk has space. */
export class StorageMonitor {
  readonly #deps: StorageMonitorDeps;
  /** Why the last probe failed. */
  #failure = "";
  #freeBytes: number | undefined;
  /** Whether space was short at the last check. */
  #isShort = false;
  /** A probe that has not returned, even after its time. */
  #probe: Promise<void> | undefined;
  #interval: Interval | undefined;

  constructor(deps: StorageMonitorDeps) {
    this.#deps = deps;
  }

  /** Checks once, then regularly. */
  async start(): Promise<void> {
    await this.#check();
    this.#interval = every(INTERVAL_MILLISECONDS, () => this.#check());
  }

  async stop(): Promise<void> {
    await this.#interval?.stop();
  }

  state(): StorageState {
    const { fault, isFailing } = this.#deps;
    const failure = fault() ?? (isFailing() ? `the journal cannot be written${this.#failure}` : undefined);
    return { writable: failure === undefined, fault: failure ?? this.#lack(), freeBytes: this.#freeBytes };
  }

  /** @throws SealbookError `journal_unavailable` while there is a fault; `storage_full` with too little space */
  assertReady(): void {
    const { fault, writable } = this.state();
    if (fault === undefined) return;
    if (writable) throw new SealbookError("storage_full", fault);
    // The fault names files, which are for the operator.
    throw new SealbookError(
      "journal_unavailable",
      "the journal cannot be stored; the status and the log contain the reason",
    );
  }

  async #check(): Promise<void> {
    const { telemetry } = this.#deps;
    this.#freeBytes = await this.#deps.freeBytes().catch(() => undefined);
    await this.#tryWrite();
    this.#deps.onSpace(this.#lack());
    const fault = this.state().fault ?? this.#shortage();
    if (fault === undefined) telemetry.storageRestored();
    else telemetry.storageFailing(fault);
  }

  async #tryWrite(): Promise<void> {
    const { probe, telemetry } = this.#deps;
    this.#probe ??= probe().finally(() => (this.#probe = undefined));
    const expired = (): Error => new Error(`a write has not returned for ${PROBE_MILLISECONDS / 1000} s`);
    try {
      await within(PROBE_MILLISECONDS, this.#probe, expired);
      this.#failure = "";
      telemetry.journalProbed();
    } catch (error) {
      this.#failure = `: ${reasonOf(error)}`;
      telemetry.journalProbed(error);
    }
  }

  /** Returns why nothing new can be accepted. */
  #lack(): string | undefined {
    const { minimumFreeBytes } = this.#deps;
    if (this.#freeBytes === undefined || this.#freeBytes >= minimumFreeBytes) return undefined;
    return `${lessThan(minimumFreeBytes)}; nothing new is accepted until there is more`;
  }

  /** Returns that space runs short. It ends a tenth above the limit, so that the alert does not come and go. */
  #shortage(): string | undefined {
    const { lowFreeBytes } = this.#deps;
    this.#isShort = (this.#freeBytes ?? Infinity) < (this.#isShort ? lowFreeBytes * 1.1 : lowFreeBytes);
    return this.#isShort ? `${lessThan(lowFreeBytes)}; free some before it is full` : undefined;
  }
}

/** The text leaves the free space out: it would be another one with each check. */
function lessThan(bytes: number): string {
  return `the disk of the journal has less than ${Math.floor(bytes / 1e6)} MB free`;
}
