import type { Settings } from "./settings.ts";
import { createHash } from "node:crypto";
import { assert } from "chai";
import { newApiKey } from "../../server/http/access/caller.ts";
import { openDatabase } from "../../server/journal/engine/database.ts";
import { appendResolution, inTransaction } from "../../server/journal/entries/entry-log.ts";
import { insertKeys } from "../../server/journal/index/proof-index.ts";
import { alertStore } from "../../server/operations/alert-store.ts";
import { apiKeyStore } from "../../server/operations/api-key-store.ts";
import { anchored } from "./anchored.ts";
import { type Attacker, attackerOf, type Column, type Row, type RowChange, type Value } from "./attacker.ts";
import { type Engine, emptyDatabase } from "./database.ts";
import { removeDirectory, temporaryDirectory } from "./directory.ts";
import type { EngineDatabase } from "./engine-database.ts";
import { eventually } from "./eventually.ts";
import type { HttpResponse } from "./http.ts";
import { KEY } from "./journal-key.ts";
import type { ParsedJson } from "./parsed-json.ts";
import { ROUTES, startServer, type TestServer } from "./server.ts";

/** A time that no block has yet. */
const AN_HOUR_LATER = Math.floor(Date.now() / 1000) + 3_600;

/** Only requests find what is changed: nothing is compared in the background. */
const NEVER = 2 ** 31 - 1;
const QUIET = { checkpointIntervalMilliseconds: NEVER, reconcileIntervalMilliseconds: NEVER };

/** Tables that have no rows here, each with the reason. */
const EMPTY: Readonly<Record<string, string>> = {
  keyed_calls: "no proof was posted with a key",
  changed_keystores: "nobody has changed a password; the chain decides on the rights of an account",
  transaction_versions: "a free chain replaces no transaction; its bytes are signed by the relayer's key",
  login_failures: "nobody has failed to log in; no statement and no proof reads it",
  chat_updates: "there is no bot; no statement and no proof reads its messages",
  chat_users: "there is no bot; the keys of its users are encrypted with a key that is not in the database",
  chat_deletions: "there is no bot; no statement and no proof reads them",
  validator_sets: "the embedded chain has no validators",
};

/**
 * Tables that nothing signed or claimed reads, each with the reason. Their changes are made together, and nothing may
 * differ then: a table that is read does not belong here.
 */
const UNREAD: Readonly<Record<string, string>> = {
  alerts: "what operators are told",
  api_keys: "who may call, not what is responded",
  chain_identity: "compared at the start",
  index_progress: "of the index over records",
  stores: "which calls are repetitions",
  schema_version: "read at the start",
  login_sources: "limits of logins",
  records: "rows of the table of records have no statement and no proof",
  service_log: "what operators are told",
  sessions: "who may write records",
  transactions: "of the sender; the chain has what was sent",
};

/** Distance of a key from those that the server gives next. */
const FAR = 1_000_000;

/** The tables are divided among as many tests, to bound the time of each. */
const PARTS = 4;

const sha256 = (content: string): string => createHash("sha256").update(content).digest("hex");

/** A named change of the database. */
interface Change extends RowChange {
  readonly name: string;
}

/** What the server signs or claims. */
type Claims = Record<string, { readonly status: number; readonly content: unknown }>;

/** Declares the tests on an engine: each has a file of its own, so that they share the processors. */
export function describeHostileAdministrator(engine: Engine): void {
  describe(`an administrator of the database, on ${engine}`, function () {
    let directory: string;
    let database: EngineDatabase;
    let attacker: Attacker;
    let server: TestServer;
    let verificationId: string;
    let expected: Claims;
    /** Tables that the server writes while it is queried. */
    let written: ReadonlySet<string>;
    const documents = [
      {
        document_id: "alone",
        hash: sha256("alone"),
        metadata: { type: "contract", source: "a", timestamp: 7, note: "n" },
      },
      { document_id: "twice", hash: sha256("older"), metadata: { type: "log", source: "b", timestamp: 8 } },
    ];
    const many = Array.from({ length: 40 }, (_, n) => ({
      document_id: `of many ${n}`,
      hash: sha256(`of many ${n}`),
      metadata: { type: "log", source: `s${n % 3}`, timestamp: 9, n },
    }));
    const newer = {
      document_id: "twice",
      hash: sha256("newer"),
      metadata: { type: "log", source: "b", timestamp: 10 },
    };
    const fresh = {
      document_id: "fresh",
      hash: sha256("fresh"),
      metadata: { type: "fresh", source: "c", timestamp: 11 },
    };
    const restored = [...documents, ...many.slice(0, 12), newer, fresh].map(({ document_id, hash }) => ({
      document_id,
      hash,
    }));

    const start = (settings: Settings): Promise<TestServer> =>
      startServer(
        { DATABASE_URL: database.url },
        { directory, settings: { ...settings, journal: { ...QUIET, ...settings.journal } } },
      );

    before(async () => {
      directory = await temporaryDirectory();
      database = await emptyDatabase(engine);
      server = await start({ journal: { checkpointIntervalMilliseconds: 100 } });
      for (const document of documents) await anchored(server, "/api/v1/proof", document);
      await anchored(server, "/api/v1/proof/batch", { documents: many });
      await anchored(server, "/api/v1/proof", newer);
      const token = await server.login();
      const headers = { "Idempotency-Key": "of-the-only-record" };
      await server.call(ROUTES.store, { token }, { code: "a", topic: "b", payload: { c: 1 } }, headers);
      verificationId = (await verifyRestored()).body.verification_id;
      const covered =
        "select 1 from anchors " +
        "where checkpoint >= (select max(last_sequence) from entries) - 2 and confirmation > 0";
      await eventually(async () => assert.isNotEmpty(await database.query(covered)));
      await server.stop("keep");
      await addRows();
      // The comparisons of the claims are not kept: otherwise each adds an entry, and what they write cannot be undone.
      server = await start({ recovery: { perCaller: 1 } });
      await anchored(server, "/api/v1/proof", fresh);
      await server.login();
      attacker = await attackerOf(database, engine);
      const before = await contents();
      expected = await claims();
      const after = await contents();
      const changed = [...before.keys()].filter((table) => before.get(table) !== after.get(table));
      // Each leadership writes the row of the leader.
      const tables = await attacker.tables();
      written = new Set([...changed, "storage_probe", "leader"].filter((table) => tables.includes(table)));
      for (const [name, { status }] of Object.entries(expected)) assert.equal(status, 200, name);
    });
    after(async () => {
      await attacker.close();
      await server.stop("keep");
      await removeDirectory(directory);
      await database.remove();
    });

    /** Merges the keys of half of the index, and adds rows that a server writes in other circumstances. */
    const addRows = async (): Promise<void> => {
      const opened = await openDatabase(database.connect());
      try {
        await inTransaction(opened, (transaction) =>
          appendResolution(transaction, KEY, { divergence: "head of nobody", reason: "none", resolved_at: Date.now() }),
        );
        // Half of the recent keys are moved.
        await opened.transaction().execute((transaction) => insertKeys(transaction, [], 0, 32_768));
        await apiKeyStore(opened).insert(newApiKey("a reader", "read", Date.now(), undefined).key);
        const alerts = alertStore(opened);
        await alerts.raise({ kind: "clock_skew", subject: "", message: "the clock is wrong", at: Date.now() });
        await alerts.resolve("clock_skew", "", Date.now());
      } finally {
        await opened.destroy();
      }
    };

    const verifyRestored = (query = ""): Promise<HttpResponse> =>
      server.post(`/api/v1/recovery/verify${query}`, { documents: restored });

    /** Asks for all that is signed or claimed. */
    const claims = async (): Promise<Claims> => {
      const attest = async (subject: object): Promise<Claims[string]> => {
        const { status, body } = await server.post("/api/v1/recovery/attest", { ...subject, audience: "court" });
        const { statement } = body;
        const { records, record_count, verification } = statement ?? {};
        return { status, content: statement === undefined ? body : { records, record_count, verification } };
      };
      const get = async (path: string, part?: string): Promise<Claims[string]> => {
        const { status, body } = await server.get(`/api/v1/${path}`);
        return { status, content: status === 200 && part !== undefined ? body[part] : body };
      };
      const verified = async (query: string): Promise<Claims[string]> => {
        const { status, body } = await verifyRestored(query);
        return { status, content: status === 200 ? body.documents : body };
      };
      const found: Record<string, Promise<Claims[string]>> = {};
      for (const name of ["alone", "twice", "of many 7", "fresh"]) {
        found[`attestation of ${name}`] = attest({ document_id: name });
        found[`bundle of ${name}`] = get(`proof/${encodeURIComponent(name)}?format=bundle`);
      }
      found["attestation of a hash"] = attest({ hash: newer.hash });
      found["attestation of a verification"] = attest({ verification_id: verificationId });
      for (const { document_id, hash } of [...documents, newer, fresh, ...many.slice(0, 1)])
        found[`verify ${document_id} ${hash.slice(0, 4)}`] = get(`verify?hash=${hash}`);
      found["verify nothing"] = get(`verify?hash=${sha256("nothing")}`);
      found["restored documents"] = verified("");
      found["restored documents by a time"] = verified(`?as_of=${AN_HOUR_LATER}`);
      found["gap"] = get(`recovery/gap?verification_id=${verificationId}`, "documents");
      found["inventory"] = get("recovery/inventory", "documents");
      const claimed = await Promise.all(
        Object.entries(found).map(async ([name, claim]) => [name, await claim] as const),
      );
      return Object.fromEntries(claimed);
    };

    /** Returns what a claim says that is not as before and not refused, if anything. */
    const falsehood = (name: string, { status, content }: Claims[string], right: Claims[string]): unknown => {
      if (JSON.stringify(content) === JSON.stringify(right.content)) return undefined;
      const body = content as ParsedJson;
      if (status === 200 && Array.isArray(content) && Array.isArray(right.content)) {
        const rightRows: ParsedJson[] = right.content;
        // An older record whose anchor was changed is left out; the result is about the newest one.
        const before = new Set(rightRows.flatMap((row) => [JSON.stringify(row), withoutEarlier(row)]));
        const rows = content as ParsedJson[];
        const wrong = rows.filter(
          (row) =>
            !before.has(JSON.stringify(row)) &&
            row.fault === undefined &&
            !(row.result === "unrecorded" && /journal|chain/.test(row.reason ?? "")),
        );
        // A document whose row has a fault can be listed with a changed id.
        const ids = new Set(rows.map((row) => row.document_id));
        const faults = rows.filter((row) => row.fault !== undefined).length;
        const lost = rightRows
          .map((row) => row.document_id)
          .filter((id) => !ids.has(id))
          .slice(faults);
        // A row that is given in two places stands where its document is.
        return wrong.length + lost.length === 0 ? undefined : { wrong: wrong.slice(0, 2), lost: lost.slice(0, 2) };
      }
      if (name.startsWith("verify ") && status === 200)
        return body.valid === false && /journal|chain/i.test(body.message) ? undefined : body;
      return status === 409 || String(body.type).endsWith(":journal_damaged") ? undefined : body;
    };

    /**
     * Ends what requests have found, as a complete comparison does, so that the server signs again.
     */
    const compared = async (): Promise<void> => {
      const isSigned = async (): Promise<boolean> =>
        (await server.post("/api/v1/recovery/attest", { document_id: "alone", audience: "court" })).status === 200;
      if (await isSigned()) return;
      const { findings } = server.context;
      for (const { subject } of findings.open) findings.divergenceResolved(subject);
      await eventually(async () => assert.isTrue(await isSigned()));
    };

    const contents = async (): Promise<ReadonlyMap<string, string>> => {
      const found = new Map<string, string>();
      for (const table of await attacker.tables()) found.set(table, JSON.stringify(await attacker.rowsOf(table)));
      return found;
    };

    /** Other values that a column could have. */
    const othersOf = (column: Column, row: Row, rows: readonly Row[]): Value[] => {
      const value = row[column.name] ?? null;
      const isOther = (other: Value): boolean => JSON.stringify(other) !== JSON.stringify(value);
      const elsewhere = rows.map((each) => each[column.name] ?? null).find((other) => other !== null && isOther(other));
      return [
        ...(elsewhere === undefined ? [] : [elsewhere]),
        ...(typeof value === "number" ? [value + 1] : []),
        ...(typeof value === "string" ? [changedText(value)] : []),
        ...(value instanceof Uint8Array ? [flipped(value)] : []),
        ...(column.isNullable && value !== null ? [null] : []),
      ];
    };

    /** Every single change of a table: of a value, of a row, one row more. */
    const changesOf = async (table: string): Promise<Change[]> => {
      const columns = await attacker.columnsOf(table);
      const rows = await attacker.rowsOf(table);
      const changes: Change[] = [];
      for (const before of new Set([rows.at(0), rows.at(-1)])) {
        if (before === undefined) continue;
        for (const column of columns) {
          for (const value of othersOf(column, before, rows))
            changes.push({
              name: `${table}.${column.name}`,
              table,
              before,
              after: { ...before, [column.name]: value },
            });
        }
        changes.push({ name: `${table}, a row less`, table, before, after: undefined });
      }
      const last = rows.at(-1);
      const key = columns.findLast(({ isKey }) => isKey);
      if (last === undefined || key === undefined) return changes;
      const value = last[key.name] ?? null;
      const other =
        value instanceof Uint8Array ? flipped(value) : typeof value === "number" ? value + 1 : `${String(value)}0`;
      return [
        ...changes,
        { name: `${table}, a row more`, table, before: undefined, after: { ...last, [key.name]: other } },
      ];
    };

    const covered = new Set<string>();
    let count = 0;
    /** Plays all changes of some tables, one at a time, and returns the claims that are false then. */
    const falsehoodsWith = async (tables: Iterable<string>, isUndone: boolean): Promise<string[]> => {
      const failures: string[] = [];
      for (const table of tables) {
        for (const change of await changesOf(table)) {
          if (!(await attacker.apply(change))) continue;
          count += 1;
          covered.add(table);
          for (const [name, claim] of Object.entries(await claims())) {
            const right = expected[name];
            const isKnown = right === undefined || isExempt(change, claim) || isHidden(change, claim, right);
            const wrong = isKnown ? undefined : falsehood(name, claim, right);
            if (wrong !== undefined) failures.push(`${change.name}: ${name}: ${JSON.stringify(wrong).slice(0, 1000)}`);
          }
          await attacker.undo(change);
          if (isUndone) await compared();
        }
        if (!isUndone) continue;
        for (const [name, claim] of Object.entries(await claims()))
          assert.deepEqual(claim, expected[name], `${name}, after the changes of ${table}`);
      }
      return failures;
    };

    /** Makes all changes of tables that nothing reads in a few rounds, and asserts that the claims stay the same. */
    const assertUnread = async (tables: Iterable<string>): Promise<void> => {
      const rounds = roundsOf(await permittedChanges(tables));
      for (let round = rounds.shift(); round !== undefined; round = rounds.shift()) {
        const applied: RowChange[] = [];
        const refused: RowChange[] = [];
        const rows = new Map<string, Row[]>();
        for (const { table } of round) rows.set(table, rows.get(table) ?? (await attacker.rowsOf(table)));
        for (const change of round) ((await attacker.apply(change)) ? applied : refused).push(change);
        assert.isNotEmpty(applied, JSON.stringify(refused));
        const names = applied.map(({ table }) => table).join();
        for (const [name, claim] of Object.entries(await claims()))
          assert.deepEqual(claim, expected[name], `${name}, after changes of ${names}`);
        // The server may have written an alert again that it could not find meanwhile.
        for (const [table, before] of rows) await attacker.restore(table, before);
        // Two changes may want the same key, or the server has written a row with it.
        if (refused.length > 0) rounds.push(await Promise.all(refused.map(withFreeKey)));
      }
    };
    /** Gives an added row a number that the server does not reach. */
    const withFreeKey = async (change: RowChange): Promise<RowChange> => {
      const key = (await attacker.columnsOf(change.table)).findLast(({ isKey }) => isKey)?.name ?? "";
      const value = change.after?.[key];
      if (change.before !== undefined || typeof value !== "number") return change;
      return { ...change, after: { ...change.after, [key]: value + FAR } };
    };
    /** The changes of tables that the database permits. */
    const permittedChanges = async (tables: Iterable<string>): Promise<Change[]> => {
      const permitted: Change[] = [];
      for (const table of tables) {
        const rows = await attacker.rowsOf(table);
        for (const change of await changesOf(table)) {
          if (!(await attacker.apply(change))) continue;
          await attacker.restore(table, rows);
          permitted.push(change);
          count += 1;
          covered.add(table);
        }
      }
      return permitted;
    };

    const playPart = async (part: number): Promise<void> => {
      const others = (await attacker.tables()).filter((table) => !written.has(table) && !(table in UNREAD));
      const failures = await falsehoodsWith(
        others.filter((_, index) => index % PARTS === part - 1),
        true,
      );
      assert.isEmpty(failures, failures.join("\n"));
    };
    for (let part = 1; part <= PARTS; part += 1) {
      // Security, database: cannot change a signed or claimed fact by one change of a column or row, only hide a record
      it(`changes nothing that is signed or claimed, one change at a time, without being found: part ${part}`, () =>
        playPart(part));
    }

    // Security, database: cannot change such a fact by all changes together in tables that nothing signed reads
    it("changes nothing by tables that nothing signed or claimed reads", async () => {
      const unread = (await attacker.tables()).filter((table) => !written.has(table) && table in UNREAD);
      assert.isAbove(unread.length, 8);
      await assertUnread(unread);
    });

    it("changes nothing of that in a table that the server writes meanwhile, and every table was changed", async () => {
      // These come last: what the server writes meanwhile cannot be undone.
      const failures = await falsehoodsWith(written, false);
      assert.isEmpty(failures, failures.join("\n"));
      assert.isAbove(count, 200);
      const tables = await attacker.tables();
      assert.sameMembers(
        tables.filter((table) => !covered.has(table)),
        tables.filter((table) => table in EMPTY),
        "tables without a change",
      );
    });
  });
}

function withoutEarlier({ earlier: _, ...rest }: ParsedJson): string {
  return JSON.stringify(rest);
}

/** Divides changes into rounds: those of one row's columns are merged, a row that is removed or added has its own. */
function roundsOf(changes: readonly Change[]): RowChange[][] {
  const rounds: { change: RowChange; columns: Set<string> }[][] = [];
  for (const change of changes) {
    const { table, before, after } = change;
    const column = before && after && Object.keys(after).find((name) => after[name] !== before[name]);
    for (let round = 0; ; round += 1) {
      const made = (rounds[round] ??= []);
      const same = made.findIndex((each) => each.change.table === table && each.change.before === before);
      const { change: other, columns } = made[same] ?? {};
      if (other === undefined) {
        made.push({ change, columns: new Set(column === undefined ? [] : [column]) });
        break;
      }
      if (column === undefined || other.after === undefined || other.before === undefined || columns?.has(column))
        continue;
      columns?.add(column);
      const merged = { ...other.after, [column]: after?.[column] ?? null };
      made[same] = { change: { table, before: other.before, after: merged }, columns: columns ?? new Set() };
      break;
    }
  }
  return rounds.map((round) => round.map(({ change }) => change));
}

/** Changes that may have an influence, each with the reason. */
function isExempt({ table }: Change, { status, content }: Claims[string]): boolean {
  // Nothing is signed or claimed of a verification that is not there.
  if (table === "recovery_verifications") return status === 404;
  // A relayer whose leadership was ended responds with nothing that only a leader can, until it leads again.
  if (table === "leader") return status === 503;
  // An address without the contract refuses everything that rests on it.
  return table === "contracts" && status === 503 && String((content as ParsedJson).type).endsWith(":chain_unavailable");
}

/** A removed key of the index hides a record until a comparison finds it, and gives nothing false about others. */
function isHidden({ table }: Change, { status, content }: Claims[string], right: Claims[string]): boolean {
  if (table !== "proof_index" && table !== "proof_index_recent") return false;
  if (status !== 200) return status === 404;
  const { message, records } = content as ParsedJson;
  const { content: expected } = right as ParsedJson;
  const known = new Set((expected.records ?? expected).map?.((row: ParsedJson) => JSON.stringify(row)));
  const rows: ParsedJson[] | undefined = Array.isArray(content) ? content : records;
  if (rows === undefined) return message === "No proof found for this hash";
  return rows.every(
    (row) => known.has(JSON.stringify(row)) || (row.result === "unrecorded" && row.fault === undefined),
  );
}

/** Another text: another number in JSON, else another end. */
function changedText(text: string): string {
  return /\d/.test(text) ? text.replace(/\d(?=\D*$)/, (digit) => String((Number(digit) + 1) % 10)) : `${text}x`;
}

function flipped(bytes: Uint8Array): Uint8Array {
  const changed = Uint8Array.from(bytes);
  changed[0] = (changed[0] ?? 0) ^ 1;
  return changed.length === 0 ? Uint8Array.of(1) : changed;
}
