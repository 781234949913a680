import { batch, computed, signal } from "@preact/signals";
import { messageOf } from "../errors/message-of.ts";
import type { Picked } from "../files/dropped-files.ts";
import { pastedEvidence } from "../files/evidence.ts";
import { FileQueue } from "../files/file-queue.ts";
import { Checker, type Trust } from "./check.ts";
import { baseName, type NamedEvidence } from "./pairing.ts";
import { pastedHashes } from "./pasted-hashes.ts";
import { tasksOf } from "./tasks.ts";
import { type EvidenceVerdict, missing, type Row, type Subject, type Verdict } from "./verdict.ts";
import type { VerificationServer } from "./verification-server.ts";

/** Time after which the page is drawn again during a long run, and after which its rows are. */
const DRAW_MILLISECONDS = 50;
const ROWS_MILLISECONDS = 1_000;
/** Time without a verdict after which the page says that it waits. */
const WAITING_MILLISECONDS = 5_000;
/** Name of a pasted bundle or statement. */
const PASTED = "pasted";

/** The files that a reader gave, and the verdict about each. */
export class Verification {
  readonly queue: FileQueue;
  readonly rows = signal<readonly Row[]>([]);
  readonly trust = signal<Omit<Trust, "node">>({});
  /** Why the server or its chain has not responded. */
  readonly failure = signal<unknown>(undefined);
  readonly isTruncated = signal(false);
  /** The number of files with a verdict, while they are verified. */
  readonly checked = signal<number | undefined>(undefined);
  /** Whether the newest verdict is some time ago. */
  readonly isWaiting = signal(false);
  /** Number of the additions whose files are listed or read. */
  readonly #additions = signal(0);
  readonly isBusy = computed(() => this.checked.value !== undefined || this.#additions.value > 0);
  readonly #server: VerificationServer | undefined;
  /** Copies of a file with the same name are one. */
  readonly #subjects = new Map<string, Subject>();
  /** Files that could not be read. */
  #unread: readonly Row[] = [];
  readonly #evidence = new Map<string, NamedEvidence>();
  /** What bundles have verified, with what was trusted: it stays true when other files are added. */
  #verified = { trust: this.trust.value, bundles: new Map<string, EvidenceVerdict>() };
  #given = 0;
  /** The newest check: results of an earlier one are dropped. */
  #run = new AbortController();
  /** Shows the rows of the check that runs. */
  #show: (() => void) | undefined;
  /** Changes when everything is removed. */
  #generation = 0;
  #adding: Promise<void> = Promise.resolve();

  constructor(createWorker: () => Worker, server?: VerificationServer) {
    this.queue = new FileQueue(createWorker);
    this.#server = server;
  }

  /** Whether a server can be asked. */
  get hasServer(): boolean {
    return this.#server !== undefined;
  }

  /** Adds files to those that are there, after those that are being read. */
  add(picked: Picked | Promise<Picked>): Promise<void> {
    const generation = this.#generation;
    const isCurrent = () => generation === this.#generation;
    const given = Promise.resolve(picked);
    // Otherwise a failure while others are read would be one that nobody handles.
    given.catch(() => undefined);
    this.#adding = this.#adding.then(async () => {
      if (!isCurrent()) return;
      this.#additions.value += 1;
      try {
        await this.#read(await given, isCurrent);
      } catch (error) {
        if (isCurrent()) this.#unreadable("", { kind: "unreadable", reason: messageOf(error) });
      }
      if (isCurrent()) this.#additions.value -= 1;
    });
    // What is added next does not wait for the verdicts.
    return this.#adding.then(() => (isCurrent() ? this.check() : undefined));
  }

  /** Adds a text as a file. */
  addText(text: string, name: string): Promise<void> {
    return this.add({ files: [{ name, file: new File([text], baseName(name)) }], unreadable: [], isTruncated: false });
  }

  /**
   * Adds hashes, one in each line, as `sha256sum` writes them, or the text of a bundle or a statement.
   * @returns Whether the text was one of these
   */
  async paste(text: string): Promise<boolean> {
    if (pastedEvidence(text) !== undefined) {
      await this.addText(text, PASTED);
      return true;
    }
    const hashes = pastedHashes(text);
    if (hashes === undefined) return false;
    for (const each of hashes) this.#take({ id: this.#newId(), size: undefined, ...each });
    await this.check();
    return true;
  }

  /** Removes everything, and ends what runs. */
  clear(): void {
    this.#run.abort();
    this.#show = undefined;
    this.#generation += 1;
    this.queue.cancel();
    this.#subjects.clear();
    this.#evidence.clear();
    this.#unread = [];
    this.#verified.bundles.clear();
    // New files do not wait for a folder that the browser still lists.
    this.#adding = Promise.resolve();
    batch(() => {
      this.rows.value = [];
      this.failure.value = undefined;
      this.isTruncated.value = false;
      this.#additions.value = 0;
      this.checked.value = undefined;
    });
  }

  /** Ends the check that runs: what has no verdict yet gets none. A folder that is still listed is not read. */
  stop(): void {
    this.#generation += 1;
    this.#adding = Promise.resolve();
    this.#additions.value = 0;
    this.#show?.();
    this.#show = undefined;
    this.#run.abort();
    batch(() => {
      this.rows.value = this.rows.value.map((row) => ({ ...row, verdict: row.verdict ?? missing("cancelled") }));
      this.checked.value = undefined;
    });
  }

  /** Determines all verdicts, with what is trusted now. */
  async check(): Promise<void> {
    this.#run.abort();
    this.#run = new AbortController();
    const { signal } = this.#run;
    batch(() => {
      this.failure.value = undefined;
      this.checked.value = 0;
    });
    let shown = 0;
    let changedAt = performance.now();
    const timer = setInterval(() => {
      if (signal.aborted) return;
      this.#show?.();
      const done = this.rows.value.filter(({ verdict }) => verdict !== undefined).length;
      if (done !== shown) [shown, changedAt] = [done, performance.now()];
      this.isWaiting.value = performance.now() - changedAt > WAITING_MILLISECONDS;
    }, ROWS_MILLISECONDS);
    try {
      await this.#check(signal);
    } catch (error) {
      if (!signal.aborted) this.failure.value = error;
    } finally {
      clearInterval(timer);
    }
    this.isWaiting.value = false;
    if (signal.aborted) return;
    this.#show = undefined;
    this.checked.value = undefined;
  }

  async #check(signal: AbortSignal): Promise<void> {
    const evidence = [...this.#evidence.values()];
    const trust = this.trust.value;
    const onFailure = (error: unknown): void => void (signal.aborted || (this.failure.value = error));
    const node = Object.keys(trust).length > 0 ? undefined : this.#server?.node(signal, onFailure);
    if (this.#verified.trust !== trust) this.#verified = { trust, bundles: new Map() };
    const checker = new Checker(evidence, { ...trust, ...(node && { node }) }, this.#verified.bundles);
    const waiting = tasksOf([...this.#subjects.values()], evidence, checker);
    const rows: Row[] = [...this.#unread];
    this.#show = () => this.#showInOrder([...rows, ...waiting.map(({ row }) => row)]);
    let drawnAt = performance.now();
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      const verdict = await next.verdict();
      waiting.shift();
      if (verdict !== "elsewhere") rows.push({ ...next.row, verdict });
      if (performance.now() - drawnAt > DRAW_MILLISECONDS) {
        if (!signal.aborted) this.checked.value = rows.length;
        await new Promise((resolve) => setTimeout(resolve));
        drawnAt = performance.now();
      }
      if (signal.aborted) return;
    }
    this.#show();
    this.#show = () => undefined;
    await this.#ask(signal);
  }

  /** Shows rows in the order in which their files were given; they are read smallest first. */
  #showInOrder(rows: Row[]): void {
    this.rows.value = rows.sort((a, b) => Number.parseInt(a.id) - Number.parseInt(b.id));
  }

  /** Asks the server about what no evidence is for. */
  async #ask(signal: AbortSignal): Promise<void> {
    const open = this.rows.value.filter(({ verdict }) => verdict === undefined);
    const unknown = new Set(open.flatMap(({ hash }) => (hash === undefined ? [] : [hash])));
    const answer = (verdictOf: (hash: string) => Verdict | undefined): void => {
      if (!signal.aborted)
        this.rows.value = this.rows.value.map((row) =>
          row.verdict === undefined ? { ...row, verdict: verdictOf(row.hash ?? "") } : row,
        );
    };
    try {
      if (unknown.size > 0)
        await this.#server?.records([...unknown], signal, (some) => answer((hash) => some.get(hash)));
    } finally {
      answer(() => missing(this.#server === undefined ? "evidence" : "server"));
    }
  }

  async #read({ files, unreadable, isTruncated }: Picked, isCurrent: () => boolean): Promise<void> {
    if (!isCurrent()) return;
    if (isTruncated) this.isTruncated.value = true;
    // What is given again is judged again.
    const given = new Set([...files, ...unreadable].map(({ name }) => name));
    this.#unread = this.#unread.filter(({ name }) => !given.has(name));
    for (const { name, reason } of unreadable) this.#unreadable(name, { kind: "unreadable", reason });
    const ids = new Map(files.map((file) => [file, this.#newId()]));
    await this.queue.read(files, (named, outcome) => {
      if (!isCurrent()) return;
      const { name, file } = named;
      if (outcome === "cancelled") return this.#unreadable(name, missing("cancelled"));
      if ("failure" in outcome) return this.#unreadable(name, { kind: "unreadable", reason: outcome.failure });
      const { id } = this.#take({ id: ids.get(named) ?? this.#newId(), name, size: file.size, hash: outcome.hash });
      for (const each of outcome.evidence) {
        const isInPdf = each.sha256 !== outcome.hash;
        this.#evidence.set(`${id} ${each.sha256}`, { ...each, source: id, name, isInPdf });
      }
    });
  }

  #take(subject: Subject): Subject {
    const key = `${subject.size === undefined ? "pasted" : "file"} ${subject.hash} ${subject.name}`;
    const known = this.#subjects.get(key) ?? subject;
    this.#subjects.set(key, known);
    return known;
  }

  #unreadable(name: string, verdict: Verdict): void {
    this.#unread = [...this.#unread, { id: this.#newId(), name, size: undefined, hash: undefined, verdict }];
  }

  #newId(): string {
    return String((this.#given += 1));
  }
}
