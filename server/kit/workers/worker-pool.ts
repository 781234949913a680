import { Piscina } from "piscina";
import { SealbookError } from "../../errors.ts";
import { KeyedQueue } from "../keyed-queue.ts";
import { type Reply, resultOf, type serveJobs } from "./reply.ts";

/** A kind of tasks. */
export interface TasksOptions {
  /** The module of the threads; its exports are results of `serveJobs`. */
  readonly module: URL;
  /** Further data for all jobs of the module. */
  readonly data?: unknown;
  /** Names the jobs in messages, in the plural. */
  readonly jobs: string;
  /** Budget of a job: a thread that needs longer, its start included, is ended and replaced. */
  readonly deadlineMilliseconds: number;
  /** Maximum unfinished jobs of a group of callers; further jobs are refused with a time to retry. */
  readonly maxWaiting: number;
  /** The same for each caller; by default it may have all of its group. */
  readonly maxWaitingPerCaller?: number;
}

type Handler = ReturnType<typeof serveJobs<never, unknown, never>>;

/** The jobs of a module, by the names of its exports. */
export type Jobs<Module> = { readonly [Name in keyof Module]: Handler };

type JobOf<Handles extends Handler> = Parameters<Handles>[0]["job"];
type ResultOf<Handles extends Handler> = Awaited<ReturnType<Handles>> extends Reply<infer Result> ? Result : never;

/** The originator of a job. Groups are scheduled round-robin, and in a group its callers. */
export interface Caller {
  readonly group: string;
  readonly id: string;
}

/** The caller of jobs that nobody else competes for. */
const SERVER: Caller = { group: "server", id: "server" };

/** Kinds whose jobs take seconds, such as pictures, leave threads for the others. */
const THREADS = 4;
/**
 * Budget of a thread: one whose JavaScript heap becomes larger is ended and replaced. V8 ends the process instead when
 * new objects, of which it collects many before it looks, exceed a heap of less than 256.
 */
const MEMORY_MEGABYTES = 512;
/** Idle time after which a thread ends, to free its memory. */
const IDLE_MILLISECONDS = 60_000;
const GROUP_RETRY_SECONDS = 10;
/** On busy processors the thread that serves requests comes first. Without effect on systems without such a value. */
const NICE = 5;
const YOUNG_MEGABYTES = 16;
const OUT_OF_MEMORY = "ERR_WORKER_OUT_OF_MEMORY";

/**
 * Runs heavy work in threads, each with a budget of time and memory. All kinds of tasks share the threads, and one job
 * of a kind runs at a time. Threads start with the first job.
 */
export class WorkerPool {
  readonly #threads: Piscina;
  readonly #kinds: KeyedQueue<TasksOptions>;

  constructor(threads = THREADS) {
    this.#kinds = new KeyedQueue(threads);
    this.#threads = new Piscina({
      minThreads: 0,
      maxThreads: threads,
      idleTimeout: IDLE_MILLISECONDS,
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MEGABYTES, maxYoungGenerationSizeMb: YOUNG_MEGABYTES },
      // Threads keep their event loop between two jobs: connections of a module can end meanwhile.
      atomics: "disabled",
      niceIncrement: NICE,
      recordTiming: false,
    });
    // The job in question fails with the error; what is left is a thread that failed without one.
    this.#threads.on("error", () => undefined);
  }

  /** Adds a kind of tasks. */
  tasks<Module extends Jobs<Module>>(options: TasksOptions): Tasks<Module> {
    return new Tasks(options, (name, job) => this.#kinds.run(options, () => this.#execute(options, name, job)));
  }

  /** Ends the threads; unfinished jobs fail. */
  async stop(): Promise<void> {
    await this.#threads.destroy();
  }

  async #execute<Result>(
    { module, data, jobs, deadlineMilliseconds }: TasksOptions,
    name: string,
    job: unknown,
  ): Promise<Result> {
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), deadlineMilliseconds);
    const exceeded = (budget: string, cause: unknown): SealbookError =>
      new SealbookError("too_expensive", `this needs more than ${budget}, the budget for ${jobs}`, { cause });
    let reply: Reply<Result>;
    try {
      // The library's result is any value: that of the module's handler.
      reply = await this.#threads.run({ job, data }, { filename: module.href, name, signal: deadline.signal });
    } catch (error) {
      if (deadline.signal.aborted) throw exceeded(`${deadlineMilliseconds / 1000} s`, error);
      if (error instanceof Error && "code" in error && error.code === OUT_OF_MEMORY)
        throw exceeded(`${MEMORY_MEGABYTES} MiB of memory`, error);
      throw error;
    } finally {
      clearTimeout(timer);
    }
    return resultOf(reply);
  }
}

/**
 * The tasks of a module. A caller waits for at most one job of each other caller of its group, and its group for one
 * job of each other group.
 */
export class Tasks<Module extends Jobs<Module>> {
  readonly #options: TasksOptions;
  readonly #execute: <Result>(name: string, job: unknown) => Promise<Result>;
  readonly #scheduler = new KeyedQueue<string>(1);
  readonly #groups = new Map<string, KeyedQueue<string>>();

  constructor(options: TasksOptions, execute: <Result>(name: string, job: unknown) => Promise<Result>) {
    this.#options = options;
    this.#execute = execute;
  }

  /** Jobs that run or wait. */
  get size(): number {
    return [...this.#groups.values()].reduce((sum, { size }) => sum + size, 0);
  }

  /**
   * @param name The export of the module that handles the job
   * @throws SealbookError `too_many_requests` and `overloaded` when the caller, or its group, has too many unfinished
   * jobs; `too_expensive` for a job that exceeds a budget; and whatever the job throws
   */
  async run<Name extends keyof Module & string>(
    name: Name,
    job: JobOf<Module[Name]>,
    { group, id }: Caller = SERVER,
  ): Promise<ResultOf<Module[Name]>> {
    const { jobs, maxWaiting, maxWaitingPerCaller = maxWaiting } = this.#options;
    const bounds = { jobs, perKey: maxWaitingPerCaller };
    const callers = this.#groups.get(group) ?? new KeyedQueue<string>(1, 1, bounds);
    this.#groups.set(group, callers);
    if (callers.size >= maxWaiting) {
      const options = { retryAfterSeconds: GROUP_RETRY_SECONDS };
      throw new SealbookError("overloaded", `too many ${jobs} are in flight`, options);
    }
    return callers.run(id, () => this.#scheduler.run(group, () => this.#execute(name, job)));
  }
}
