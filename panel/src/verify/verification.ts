import { batch, computed, signal } from "@preact/signals";
import { MOST_FILES, type Picked } from "../files/dropped-files.ts";
import { pastedEvidence } from "../files/evidence.ts";
import { FileQueue } from "../files/file-queue.ts";
import { Checker, isOnlyStatement, STATEMENT_COPY, type Trust } from "./check.ts";
import { baseName, folderOf, type NamedEvidence, pairUp } from "./pairing.ts";
import { missing, type Row, type ServerVerdict, type Subject, type Verdict } from "./verdict.ts";

/** What a server adds to a verification. The offline page has none. */
export interface VerificationServer {
  /**
   * Returns the queries to the chain as the server shows it, for one run.
   * @param onFailure Called when the chain does not respond
   */
  node(onFailure: (error: unknown) => void): NonNullable<Trust["node"]>;
  /**
   * Looks up hashes.
   * @param onFound Called with some of them; returns whether to go on
   */
  records(hashes: readonly string[], onFound: (some: ReadonlyMap<string, ServerVerdict>) => boolean): Promise<void>;
}

/** Time after which the page is drawn again during a long run. */
const DRAW_MILLISECONDS = 50;
/** Name of a pasted bundle or statement. */
const PASTED = "pasted";
const HASH_LINE = /^(?:0x)?([0-9a-f]{64})(?:[ \t]+\*?(.+))?$/i;

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
  readonly isBusy = computed(() => this.checked.value !== undefined || this.queue.progress.value !== undefined);
  readonly #server: VerificationServer | undefined;
  /** Copies of a file with the same name are one. */
  readonly #subjects = new Map<string, Subject>();
  /** Files that could not be read, by their names, until they are. */
  readonly #unread = new Map<string, Row>();
  readonly #evidence = new Map<string, NamedEvidence>();
  #given = 0;
  /** Number of the newest check: results of an earlier one are dropped. */
  #run = 0;
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
      this.checked.value ??= 0;
      try {
        await this.#read(await given, isCurrent);
      } catch (error) {
        if (isCurrent()) this.#unreadable("", { kind: "unreadable", reason: messageOf(error) });
      }
      if (isCurrent()) await this.check();
    });
    return this.#adding;
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
    const lines = text.split("\n").filter((line) => line.trim() !== "");
    const hashes = lines.map((line) => HASH_LINE.exec(line.trim()));
    if (hashes.length === 0 || hashes.length > MOST_FILES || hashes.includes(null)) return false;
    for (const found of hashes) {
      const hash = found?.[1]?.toLowerCase() ?? "";
      this.#take({ id: this.#newId(), name: found?.[2] ?? hash, size: undefined, hash });
    }
    await this.check();
    return true;
  }

  /** Removes everything, and ends what runs. */
  clear(): void {
    this.#run += 1;
    this.#generation += 1;
    this.queue.cancel();
    this.#subjects.clear();
    this.#evidence.clear();
    this.#unread.clear();
    // New files do not wait for a folder that the browser still lists.
    this.#adding = Promise.resolve();
    batch(() => {
      this.rows.value = [];
      this.failure.value = undefined;
      this.isTruncated.value = false;
      this.checked.value = undefined;
    });
  }

  /** Determines all verdicts, with what is trusted now. */
  async check(): Promise<void> {
    const run = (this.#run += 1);
    const isCurrent = () => run === this.#run;
    batch(() => {
      this.failure.value = undefined;
      this.checked.value = 0;
    });
    try {
      await this.#check(isCurrent);
    } catch (error) {
      if (isCurrent()) this.failure.value = error;
    }
    if (isCurrent()) this.checked.value = undefined;
  }

  async #check(isCurrent: () => boolean): Promise<void> {
    const subjects = this.#documents();
    const evidence = [...this.#evidence.values()];
    const trust = this.trust.value;
    const onFailure = (error: unknown): void => void (isCurrent() && (this.failure.value = error));
    const node = Object.keys(trust).length > 0 ? undefined : this.#server?.node(onFailure);
    const checker = new Checker(evidence, { ...trust, ...(node && { node }) });
    const rows: Row[] = [];
    let drawnAt = performance.now();
    /** Adds a row, and returns whether to go on. */
    const add = async (row: Row): Promise<boolean> => {
      rows.push(row);
      if (performance.now() - drawnAt > DRAW_MILLISECONDS) {
        if (isCurrent()) this.checked.value = rows.length;
        await new Promise((resolve) => setTimeout(resolve));
        drawnAt = performance.now();
      }
      return isCurrent();
    };
    const ofSubjects = pairUp(subjects, evidence);
    for (const subject of subjects) {
      const verdict = await checker.document(subject.hash, ofSubjects.get(subject) ?? []);
      if (!(await add({ ...subject, verdict }))) return;
    }
    // What a verified statement attaches is verified with it; what is paired with a document has its row there.
    const covered = new Set([...ofSubjects.values()].flat());
    const attached = new Set<string>();
    for (const each of evidence.filter(({ kind }) => kind === "statement")) {
      const verdict = await checker.statement(each);
      if (verdict.kind === "verified") for (const hash of each.attachments.values()) attached.add(hash);
      if (!(await add({ ...rowOf(each), isStatement: true, verdict }))) return;
    }
    for (const each of evidence.filter(({ kind }) => kind === "bundle")) {
      if (covered.has(each) || each.isInPdf || attached.has(each.sha256)) continue;
      if (!(await add({ ...rowOf(each), verdict: await checker.bundleAlone(each) }))) return;
    }
    rows.push(...this.#unread.values());
    // Files are read smallest first; the reader knows their order.
    rows.sort((a, b) => Number.parseInt(a.id) - Number.parseInt(b.id));
    this.rows.value = rows;
    await this.#ask(rows, isCurrent);
  }

  /** Asks the server about what no evidence is for. */
  async #ask(rows: readonly Row[], isCurrent: () => boolean): Promise<void> {
    const unknown = new Set(
      rows.flatMap(({ hash, verdict }) => (hash !== undefined && verdict === undefined ? [hash] : [])),
    );
    const found = new Map<string, ServerVerdict>();
    try {
      if (unknown.size > 0)
        await this.#server?.records([...unknown], (some) => {
          some.forEach((verdict, hash) => found.set(hash, verdict));
          return isCurrent();
        });
    } finally {
      if (isCurrent()) {
        const without = missing(this.#server === undefined ? "evidence" : "server");
        this.rows.value = rows.map((row) => ({
          ...row,
          verdict: row.verdict ?? found.get(row.hash ?? "") ?? without,
        }));
      }
    }
  }

  async #read({ files, unreadable, isTruncated }: Picked, isCurrent: () => boolean): Promise<void> {
    if (!isCurrent()) return;
    if (isTruncated) this.isTruncated.value = true;
    for (const { name, reason } of unreadable) this.#unreadable(name, { kind: "unreadable", reason });
    const ids = new Map(files.map((file) => [file, this.#newId()]));
    await this.queue.read(files, (given, outcome) => {
      if (!isCurrent()) return;
      const { name, file } = given;
      if (outcome === "cancelled") return this.#unreadable(name, missing("cancelled"));
      if ("failure" in outcome) return this.#unreadable(name, { kind: "unreadable", reason: outcome.failure });
      this.#unread.delete(name);
      const { id } = this.#take({ id: ids.get(given) ?? this.#newId(), name, size: file.size, hash: outcome.hash });
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
    this.#unread.set(name, { id: this.#newId(), name, size: undefined, hash: undefined, verdict });
  }

  #newId(): string {
    return String((this.#given += 1));
  }

  /**
   * The documents. A bundle or a statement is one only when other evidence is for it, the text of a statement unless it
   * is compared with that, and a PDF always: what it shows is not what its statement says.
   */
  #documents(): Subject[] {
    const evidence = [...this.#evidence.values()];
    const proven = new Set(evidence.flatMap(({ records }) => records.map(({ hash }) => hash)));
    /** Whether a text is compared with the statement beside it. */
    const isCompared = ({ name }: NamedEvidence) =>
      baseName(name) === STATEMENT_COPY &&
      isOnlyStatement(evidence.filter((each) => !each.isInPdf && folderOf(each.name) === folderOf(name)));
    const isHidden = (each: NamedEvidence) => !each.isInPdf && (each.kind !== "copy" || isCompared(each));
    const hidden = new Set(evidence.filter(isHidden).map(({ source }) => source));
    return [...this.#subjects.values()].filter(({ id, hash }) => !hidden.has(id) || proven.has(hash));
  }
}

/** Evidence with a row of its own. */
function rowOf({ source, sha256, name }: NamedEvidence): Pick<Row, "id" | "name" | "size" | "hash"> {
  return { id: `${source} ${sha256}`, name, size: undefined, hash: undefined };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
