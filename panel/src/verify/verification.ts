import { batch, computed, signal } from "@preact/signals";
import { MOST_FILES, type Picked } from "../files/dropped-files.ts";
import { pastedEvidence } from "../files/evidence.ts";
import { FileQueue } from "../files/file-queue.ts";
import { checkAlone, checkDocument, type Trust } from "./check.ts";
import { baseName, type NamedEvidence, namedEvidence, pairUp } from "./pairing.ts";
import type { Row, ServerVerdict, Subject, Verdict } from "./verdict.ts";

/** What a server adds to a verification: the chain, and what it recorded. The offline page has none. */
export interface VerificationServer {
  chain(): Promise<NonNullable<Trust["chain"]>>;
  records(hashes: readonly string[]): Promise<ReadonlyMap<string, ServerVerdict>>;
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
  readonly trust = signal<Pick<Trust, "trustedKey" | "validators">>({});
  /** Why the server has not answered; the verdicts of evidence remain. */
  readonly failure = signal<unknown>(undefined);
  readonly isTruncated = signal(false);
  readonly isChecking = signal(false);
  readonly isBusy = computed(() => this.isChecking.value || this.queue.progress.value !== undefined);
  readonly #server: VerificationServer | undefined;
  readonly #subjects = new Map<string, Subject>();
  readonly #unreadable = new Map<string, Extract<Verdict, { kind: "unreadable" }>>();
  #evidence: NamedEvidence[] = [];
  /** Number of the newest run: results of an earlier one are dropped. */
  #run = 0;
  /** Changes when everything is removed. */
  #generation = 0;
  #adding: Promise<void> = Promise.resolve();
  #pasted = 0;

  constructor(createWorker: () => Worker, server?: VerificationServer) {
    this.queue = new FileQueue(createWorker);
    this.#server = server;
  }

  /** Whether a server can be asked. */
  get hasServer(): boolean {
    return this.#server !== undefined;
  }

  /** Adds files to those that are there, after those that are being read; a file with the same name replaces one. */
  add(picked: Promise<Picked>): Promise<void> {
    const generation = this.#generation;
    const adding = this.#adding.then(async () => {
      if (generation !== this.#generation) return;
      this.isChecking.value = true;
      try {
        await this.#read(await picked);
      } catch (error) {
        this.failure.value = error;
      }
      if (generation === this.#generation) await this.check();
    });
    this.#adding = adding;
    return adding;
  }

  /** Adds a text as a file. */
  addText(text: string, name: string): Promise<void> {
    return this.add(Promise.resolve({ files: [{ name, file: new File([text], baseName(name)) }], isTruncated: false }));
  }

  /**
   * Adds hashes, one in each line, as `sha256sum` writes them, or the text of a bundle or a statement.
   * @returns Whether the text was one of these
   */
  async paste(text: string): Promise<boolean> {
    if (pastedEvidence(text) !== undefined) {
      await this.addText(text, `${PASTED}-${(this.#pasted += 1)}.bundle.json`);
      return true;
    }
    const lines = text.split("\n").filter((line) => line.trim() !== "");
    const hashes = lines.map((line) => HASH_LINE.exec(line.trim()));
    if (hashes.length === 0 || hashes.length > MOST_FILES || hashes.includes(null)) return false;
    for (const found of hashes) {
      const hash = found?.[1]?.toLowerCase() ?? "";
      const name = found?.[2] ?? hash;
      this.#subjects.set(name, { name, size: undefined, hash });
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
    this.#unreadable.clear();
    this.#evidence = [];
    batch(() => {
      this.rows.value = [];
      this.failure.value = undefined;
      this.isTruncated.value = false;
      this.isChecking.value = false;
    });
  }

  /** Determines all verdicts, with what is trusted now. */
  async check(): Promise<void> {
    const run = (this.#run += 1);
    const isCurrent = () => run === this.#run;
    this.failure.value = undefined;
    this.isChecking.value = true;
    try {
      await this.#check(isCurrent);
    } finally {
      if (isCurrent()) this.isChecking.value = false;
    }
  }

  async #check(isCurrent: () => boolean): Promise<void> {
    const subjects = this.#documents();
    const { ofSubjects, alone } = pairUp(subjects, this.#evidence);
    const rows: Row[] = [];
    const chain = this.#evidence.length === 0 ? undefined : await this.#server?.chain();
    const trust: Trust = { ...this.trust.value, ...(chain && { chain }) };
    let drawnAt = performance.now();
    const show = async (row: Row): Promise<void> => {
      rows.push(row);
      if (performance.now() - drawnAt < DRAW_MILLISECONDS) return;
      await new Promise((resolve) => setTimeout(resolve));
      drawnAt = performance.now();
    };
    for (const subject of subjects) {
      const verdict = await checkDocument(subject.hash, ofSubjects.get(subject) ?? [], this.#evidence, trust);
      if (!isCurrent()) return;
      await show({ ...subject, verdict });
    }
    for (const evidence of alone) {
      const verdict = await checkAlone(evidence, this.#evidence, trust);
      if (!isCurrent()) return;
      await show({ name: evidence.name, size: undefined, hash: undefined, verdict });
    }
    for (const [name, verdict] of this.#unreadable) rows.push({ name, size: undefined, hash: undefined, verdict });
    this.rows.value = rows;
    await this.#ask(rows, isCurrent);
  }

  /** Asks the server about what no evidence is for. */
  async #ask(rows: readonly Row[], isCurrent: () => boolean): Promise<void> {
    const unknown = rows.flatMap(({ hash, verdict }) => (hash !== undefined && verdict === undefined ? [hash] : []));
    let records: ReadonlyMap<string, ServerVerdict> = new Map();
    let failure: unknown;
    if (unknown.length > 0 && this.#server !== undefined) {
      try {
        records = await this.#server.records([...new Set(unknown)]);
      } catch (error) {
        failure = error;
      }
    }
    if (!isCurrent()) return;
    const code = this.#server === undefined ? "evidence" : "server";
    const missing: Verdict = { kind: "undetermined", code, steps: [], evidence: undefined };
    batch(() => {
      this.failure.value = failure;
      this.rows.value = rows.map((row) => ({ ...row, verdict: row.verdict ?? records.get(row.hash ?? "") ?? missing }));
    });
  }

  async #read({ files, isTruncated }: Picked): Promise<void> {
    const generation = this.#generation;
    this.isTruncated.value = isTruncated;
    await this.queue.read(files, ({ name, file }, outcome) => {
      if (generation !== this.#generation) return;
      this.#remove(name);
      if ("failure" in outcome) return void this.#unreadable.set(name, { kind: "unreadable", reason: outcome.failure });
      this.#subjects.set(name, { name, size: file.size, hash: outcome.hash });
      for (const each of outcome.evidence) this.#evidence.push(namedEvidence(name, each));
    });
  }

  /** The documents: files that are evidence are documents only when other evidence is for them. */
  #documents(): Subject[] {
    const sources = new Set(this.#evidence.map(({ name }) => name));
    const proven = new Set(this.#evidence.flatMap(({ records }) => records.map(({ hash }) => hash)));
    return [...this.#subjects.values()].filter(({ name, hash }) => !sources.has(name) || proven.has(hash));
  }

  #remove(name: string): void {
    this.#subjects.delete(name);
    this.#unreadable.delete(name);
    this.#evidence = this.#evidence.filter((each) => each.name !== name);
  }
}

/** The name under which a document was recorded, when it is another one than the file's. */
export function otherName({ name, verdict }: Row): string | undefined {
  if (verdict === undefined || !("documentId" in verdict) || verdict.documentId === undefined) return undefined;
  return baseName(verdict.documentId) === baseName(name) ? undefined : verdict.documentId;
}
