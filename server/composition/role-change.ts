import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "../kit/logger.ts";
import { within } from "../kit/time.ts";
import type { DemoAccount } from "../sessions/demo-account.ts";
import type { Opened } from "./resources.ts";
import type { Role } from "./role.ts";

/** Pause after a leadership that could not begin. */
const FAILED_MILLISECONDS = 1_000;
/** Time that a relayer that steps down leaves to the others. */
const ASIDE_MILLISECONDS = 2_000;
/** Time for the parts of a role to end. */
const MOST_STOP_MILLISECONDS = 30_000;

/** The role of this relayer: it leads when no other one does, and follows otherwise. */
export class RoleChange {
  readonly #opened: Opened;
  readonly #create: () => Promise<Role>;
  readonly #logger: Logger;
  readonly #stop = new AbortController();
  #current: Role;
  /** The role that starts at this moment. */
  #next: Role | undefined;
  #changing: Promise<void> | undefined;

  constructor(opened: Opened, first: Role, create: () => Promise<Role>, logger: Logger) {
    this.#opened = opened;
    this.#current = first;
    this.#create = create;
    this.#logger = logger;
  }

  get current(): Role {
    return this.#current;
  }

  /** Starts the first role; returns the demo account when this start made it. */
  async start(): Promise<DemoAccount | undefined> {
    const demoAccount = await this.#current.start();
    if (this.#opened.journal.candidate !== undefined) this.#changing = this.#change();
    return demoAccount;
  }

  /** @param drain Ends the requests in flight of the last role */
  async stop(drain: (role: Role) => Promise<void>): Promise<void> {
    this.#stop.abort();
    this.#next?.parts.journalWorkers.abandonFollowing();
    await this.#changing;
    const { current } = this;
    await current.stop(() => drain(current));
  }

  async #change(): Promise<void> {
    const { leadership } = this.#opened;
    const { candidate } = this.#opened.journal;
    const { signal } = this.#stop;
    while (candidate !== undefined && !signal.aborted) {
      if (leadership.session !== undefined) {
        const reason = await aborted(leadership.session.lost, signal);
        if (signal.aborted) return;
        this.#logger.warn({ err: reason }, "this relayer does not lead any more");
        leadership.session = undefined;
      } else {
        const { steppedDownAt = -Infinity } = leadership;
        const aside = steppedDownAt + ASIDE_MILLISECONDS - performance.now();
        if (aside > 0) await sleep(aside, undefined, { signal }).catch(() => undefined);
        leadership.session = await candidate.wait(signal);
        if (leadership.session === undefined) return;
        this.#logger.info({ epoch: leadership.session.epoch }, "this relayer leads");
      }
      await this.#replace();
    }
  }

  async #begin(role: Role): Promise<void> {
    this.#next = role;
    try {
      await role.start();
    } catch (error) {
      await this.#end(role);
      throw error;
    } finally {
      this.#next = undefined;
    }
  }

  async #end(role: Role): Promise<void> {
    await within(MOST_STOP_MILLISECONDS, role.stop(nothing), tooLong).catch((err: unknown) =>
      this.#logger.error({ err }, "a role could not be stopped"),
    );
  }

  /** Puts a role in the place of the current one, which responds to requests until the next one can. */
  async #replace(): Promise<void> {
    const { leadership } = this.#opened;
    const { signal } = this.#stop;
    const before = this.#current;
    before.release();
    // What does not end in time cannot write any more: its session is lost.
    await this.#end(before);
    while (!signal.aborted) {
      try {
        const next = await this.#create();
        if (signal.aborted) return;
        await this.#begin(next);
        this.#current = next;
        return;
      } catch (err) {
        if (!signal.aborted) this.#logger.error({ err }, "this relayer could not change its role; it tries again");
        await leadership.session?.end();
        leadership.session = undefined;
        await sleep(FAILED_MILLISECONDS, undefined, { signal }).catch(() => undefined);
      }
    }
  }
}

async function nothing(): Promise<void> {}

function tooLong(): Error {
  return new Error(`it has not ended for ${MOST_STOP_MILLISECONDS / 1000} s`);
}

/** Waits for the first of two signals; returns its reason. */
function aborted(first: AbortSignal, second: AbortSignal): Promise<unknown> {
  const any = AbortSignal.any([first, second]);
  return new Promise((resolve) => {
    if (any.aborted) resolve(any.reason);
    else any.addEventListener("abort", () => resolve(any.reason), { once: true });
  });
}
