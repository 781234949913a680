import { createHash } from "node:crypto";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { join } from "node:path";
import { assert } from "chai";
import { documentKey, keysOf } from "../../server/journal/index/proof-key.ts";
import { recordHash } from "../../server/journal/integrity/record-hash.ts";
import { anchored } from "../support/anchored.ts";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";
import { eventually } from "../support/eventually.ts";
import type { HttpResponse } from "../support/http.ts";
import type { ParsedJson } from "../support/parsed-json.ts";
import { startServer, type TestServer } from "../support/server.ts";

/** Only requests find what is changed: nothing is compared in the background. */
const NEVER = 2 ** 31 - 1;
const QUIET = { checkpointIntervalMilliseconds: NEVER, reconcileIntervalMilliseconds: NEVER };

const sha256 = (content: string): string => createHash("sha256").update(content).digest("hex");

type Row = Record<string, SQLInputValue>;

/** A column, according to the database. */
interface Column {
  readonly name: string;
  readonly isNullable: boolean;
  readonly isKey: boolean;
}

/** One change of the database, and its reversal. */
interface Change {
  readonly name: string;
  readonly table: string;
  /** The row before; none when one is inserted. */
  readonly before: Row | undefined;
  /** The row after; none when it is deleted. */
  readonly after: Row | undefined;
}

/** What the server signs or claims. */
type Claims = Record<string, { readonly status: number; readonly content: unknown }>;

describe("an administrator of the database", function () {
  let directory: string;
  let server: TestServer;
  let database: DatabaseSync;
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
  const many = Array.from({ length: 300 }, (_, n) => ({
    document_id: `of many ${n}`,
    hash: sha256(`of many ${n}`),
    metadata: { type: "log", source: `s${n % 3}`, timestamp: 9, n },
  }));
  const newer = { document_id: "twice", hash: sha256("newer"), metadata: { type: "log", source: "b", timestamp: 10 } };
  const fresh = {
    document_id: "fresh",
    hash: sha256("fresh"),
    metadata: { type: "fresh", source: "c", timestamp: 11 },
  };
  const restored = [...documents, ...many.slice(0, 40), newer, fresh].map(({ document_id, hash }) => ({
    document_id,
    hash,
  }));

  before(async () => {
    directory = await temporaryDirectory();
    server = await startServer({}, { directory, periods: { ...QUIET, checkpointIntervalMilliseconds: 100 } });
    for (const document of documents) await anchored(server, "/api/v1/proof", document);
    await anchored(server, "/api/v1/proof/batch", { documents: many });
    await anchored(server, "/api/v1/proof", newer);
    verificationId = (await verifyRestored()).body.verification_id;
    database = new DatabaseSync(join(directory, "sealbook.sqlite"));
    database.exec("PRAGMA busy_timeout = 5000");
    const covered =
      "select 1 from anchors, journal_head where checkpoint >= journal_head.sequence - 2 and confirmation > 0";
    await eventually(async () => assert.isDefined(database.prepare(covered).get()));
    await server.stop("keep");
    server = await startServer({}, { directory, periods: QUIET });
    await anchored(server, "/api/v1/proof", fresh);
    await server.login();
    database.exec("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON");
    for (const row of database.prepare("select name from sqlite_master where type = 'trigger'").all())
      database.exec(`drop trigger "${String(row["name"])}"`);
    const before = contents();
    expected = await claims();
    const after = contents();
    written = new Set([...tables().filter((table) => before.get(table) !== after.get(table)), "storage_probe"]);
    for (const [name, { status }] of Object.entries(expected)) assert.equal(status, 200, name);
  });
  after(async () => {
    database.close();
    await server.stop();
    await removeDirectory(directory);
  });

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
    const found: Claims = {};
    for (const name of ["alone", "twice", "of many 7", "fresh"]) {
      found[`attestation of ${name}`] = await attest({ document_id: name });
      found[`bundle of ${name}`] = await get(`proof/${encodeURIComponent(name)}?format=bundle`);
    }
    found["attestation of a hash"] = await attest({ hash: newer.hash });
    found["attestation of a verification"] = await attest({ verification_id: verificationId });
    for (const { document_id, hash } of [...documents, newer, fresh, ...many.slice(0, 1)])
      found[`verify ${document_id} ${hash.slice(0, 4)}`] = await get(`verify?hash=${hash}`);
    found["verify nothing"] = await get(`verify?hash=${sha256("nothing")}`);
    found["restored documents"] = await verified("");
    found["restored documents by a time"] = await verified("?as_of=4000000000");
    found["gap"] = await get(`recovery/gap?verification_id=${verificationId}&limit=1000`, "documents");
    found["inventory"] = await get("recovery/inventory?limit=1000", "documents");
    return found;
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
    return status === 409 || body.type === "urn:sealbook:problem:journal_damaged" ? undefined : body;
  };

  const columnsOf = (table: string): Column[] =>
    database
      .prepare(`select name, "notnull" as required, pk from pragma_table_info(?)`)
      .all(table)
      .map(({ name, required, pk }) => ({
        name: String(name),
        isNullable: required === 0 && pk === 0,
        isKey: Number(pk) > 0,
      }));

  const tables = (): string[] =>
    database
      .prepare("select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by name")
      .all()
      .map(({ name }) => String(name));

  const contents = (): ReadonlyMap<string, string> =>
    new Map(tables().map((table) => [table, JSON.stringify(database.prepare(`select * from "${table}"`).all())]));

  /** Other values that a column could have. */
  const othersOf = (column: Column, row: Row, rows: readonly Row[]): SQLInputValue[] => {
    const value = row[column.name] ?? null;
    const isOther = (other: SQLInputValue): boolean => JSON.stringify(other) !== JSON.stringify(value);
    const elsewhere = rows.map((each) => each[column.name] ?? null).find((other) => other !== null && isOther(other));
    return [
      ...(elsewhere === undefined ? [] : [elsewhere]),
      ...(typeof value === "number" ? [value + 1] : []),
      ...(typeof value === "string" ? [changedText(value)] : []),
      ...(value instanceof Uint8Array ? [flipped(value)] : []),
      ...(column.isNullable && value !== null ? [null] : []),
    ];
  };

  /** Every single change: of a value, of a row, one row more. */
  function* changes(some: readonly string[]): Generator<Change> {
    for (const table of some) {
      const columns = columnsOf(table);
      const keys = columns.filter(({ isKey }) => isKey).map(({ name }) => `"${name}"`);
      const rows = database.prepare(`select * from "${table}" order by ${keys.join(", ") || "1"}`).all() as Row[];
      const indexes = new Set([0, rows.length - 1]);
      const some = rows.filter((_, index) => indexes.has(index));
      for (const before of some) {
        for (const column of columns) {
          for (const value of othersOf(column, before, rows))
            yield { name: `${table}.${column.name}`, table, before, after: { ...before, [column.name]: value } };
        }
        yield { name: `${table}, a row less`, table, before, after: undefined };
      }
      const last = rows.at(-1);
      const key = columns.findLast(({ isKey }) => isKey);
      if (last === undefined || key === undefined) continue;
      const value = last[key.name] ?? null;
      const after =
        value instanceof Uint8Array ? flipped(value) : typeof value === "number" ? value + 1 : `${String(value)}0`;
      yield { name: `${table}, a row more`, table, before: undefined, after: { ...last, [key.name]: after } };
    }
  }

  const apply = ({ table, before, after }: Change, insert = "insert"): boolean => {
    const keys = columnsOf(table).filter(({ isKey }) => isKey);
    database.exec("begin immediate");
    try {
      if (before !== undefined) {
        const where = keys.map(({ name }) => `"${name}" = ?`).join(" and ");
        database.prepare(`delete from "${table}" where ${where}`).run(...keys.map(({ name }) => before[name] ?? null));
      }
      if (after !== undefined) {
        const names = Object.keys(after);
        const values = names.map((name) => after[name] ?? null);
        const list = names.map((name) => `"${name}"`).join();
        const places = names.map(() => "?").join();
        database.prepare(`${insert} into "${table}" (${list}) values (${places})`).run(...values);
      }
      database.exec("commit");
      return true;
    } catch {
      // The database has a rule against it, such as a unique key.
      database.exec("rollback");
      return false;
    }
  };

  it("changes nothing that is signed or claimed, one change at a time, without being found", async () => {
    const failures: string[] = [];
    const covered = new Set<string>();
    let count = 0;
    const play = async (change: Change): Promise<void> => {
      if (!apply(change)) return;
      count += 1;
      covered.add(change.table);
      const now = await claims();
      for (const [name, claim] of Object.entries(now)) {
        const right = expected[name];
        const wrong = right && (isExempt(change, claim) ? undefined : falsehood(name, claim, right));
        if (wrong !== undefined) failures.push(`${change.name}: ${name}: ${JSON.stringify(wrong).slice(0, 300)}`);
      }
      // The server can have written the row meanwhile.
      const undone = apply({ ...change, before: change.after, after: change.before }, "insert or replace");
      assert.isTrue(undone, `${change.name} is undone`);
    };
    for (const table of tables().filter((each) => !written.has(each))) {
      for (const change of [...changes([table])]) await play(change);
      for (const [name, claim] of Object.entries(await claims()))
        assert.deepEqual(claim, expected[name], `${name}, after the changes of ${table}`);
    }
    // These come last: what the server writes meanwhile cannot be undone.
    for (const table of written) for (const change of [...changes([table])]) await play(change);
    assert.isAbove(count, 200);
    assert.includeMembers(
      [...covered],
      ["proofs", "confirmations", "anchors", "proof_keys_recent", "notices", "digest_nodes"],
    );
    assert.isEmpty(failures, `${failures.length} of ${count}:\n${failures.join("\n")}`);
  });

  it("hides no record by its keys in the index", async () => {
    for (const { document_id, hash, metadata } of [...documents, many[0] ?? newer, newer, fresh]) {
      const bytes = Buffer.from(hash, "hex");
      const recorded = recordHash({ documentId: document_id, hash: bytes, ...metadata });
      for (const key of keysOf({ documentId: document_id, hash: bytes, recordHash: recorded })) {
        const bucket = Math.floor(key / 2 ** 16);
        const recent = database.prepare("select * from proof_keys_recent where key = ?").all(key) as Row[];
        const merged = database.prepare("select * from proof_keys where bucket = ?").all(bucket) as Row[];
        for (const [table, rows] of [
          ["proof_keys_recent", recent],
          ["proof_keys", merged],
        ] as const) {
          for (const before of rows) {
            const change = { name: table, table, before, after: undefined };
            assert.isTrue(apply(change));
            const { status, body } = await server.get(`/api/v1/verify?hash=${hash}`);
            assert.isTrue(
              body.valid === true || (status === 500 && /index/.test(body.detail)),
              `${document_id} ${key}`,
            );
            const attestation = await server.post("/api/v1/recovery/attest", { document_id, audience: "court" });
            if (key === documentKey(document_id)) {
              assert.equal(attestation.body.type, "urn:sealbook:problem:journal_damaged", `${document_id} ${key}`);
              assert.match(attestation.body.detail, /index/);
            }
            assert.isTrue(apply({ ...change, before: undefined, after: before }));
          }
        }
      }
    }
    assert.isAbove((await server.get("/api/v1/status")).body.journal.divergences, 0);
  });
});

function withoutEarlier({ earlier: _, ...rest }: ParsedJson): string {
  return JSON.stringify(rest);
}

/** Changes that may have an influence, each with the reason. */
function isExempt({ table }: Change, { status }: Claims[string]): boolean {
  // Nothing is signed or claimed of a verification that is not there.
  return table === "recovery_verifications" && status === 404;
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
