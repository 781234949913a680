import { createHash } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { assert } from "chai";
import { ProofClient, type RecoveryVerification } from "../../client/index.ts";
import { LogRoot } from "../../server/recovery/running-verification.ts";
import { readJson, runScript } from "../scripts/proofs-support.ts";
import type { ParsedJson } from "../support/parsed-json.ts";
import { startRawNode } from "../support/raw-anvil.ts";
import { type RemoteChain, startRemoteChain } from "../support/remote-chain.ts";
import { rpcCall } from "../support/rpc.ts";
import { startServer, type TestServer } from "../support/server.ts";

const DAYS = 10;
const A_DAY = 1_000;
const DAY_SECONDS = 86_400;

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** A version of a document that was recorded. */
interface Version {
  readonly day: number;
  readonly content: string;
}

describe("recovery after a disaster", () => {
  let chain: RemoteChain;
  let server: TestServer;
  let client: ProofClient;
  /** Everything that was recorded, by document; the oldest version first. */
  const recorded = new Map<string, Version[]>();
  /** The time of the last block of each day. */
  const ends: number[] = [];
  let tree: string;

  const idOf = (day: number, n: number): string => `archive/day ${day}/${n % 7}/größe ${n}.txt`;
  /** What every document was at the end of a day. */
  const at = (day: number): Map<string, string> =>
    new Map(
      [...recorded].flatMap(([id, versions]): [string, string][] => {
        const version = versions.findLast((one) => one.day <= day);
        return version === undefined ? [] : [[id, version.content]];
      }),
    );

  const record = async (day: number, documents: readonly (readonly [id: string, content: string])[]): Promise<void> => {
    const body = {
      documents: documents.map(([document_id, content]) => ({
        document_id,
        hash: sha256(content),
        metadata: { type: "file" },
      })),
    };
    const response = await server.post("/api/v1/proof/batch", body);
    assert.equal(response.status, 201, response.text.slice(0, 300));
    for (const [id, content] of documents) recorded.set(id, [...(recorded.get(id) ?? []), { day, content }]);
    ends[day] = response.body.batch.timestamp;
  };

  before(async () => {
    // The last day is today: no comparison is as of a day to come.
    const beginning = Math.floor(Date.now() / 1000) - DAYS * DAY_SECONDS;
    chain = await startRemoteChain((directory) => startRawNode(directory, beginning));
    server = await startServer(chain.variables, { directory: chain.directory });
    client = new ProofClient(server.url);
    for (let day = 0; day < DAYS; day += 1) {
      await rpcCall(chain.url, "evm_increaseTime", DAY_SECONDS);
      await record(
        day,
        Array.from({ length: A_DAY }, (_, n) => [idOf(day, n), `content ${day} ${n}`] as const),
      );
      // Some are written anew every day, and some of them are the same as before.
      if (day > 0)
        await record(
          day,
          Array.from({ length: 40 }, (_, n) => [idOf(0, n), `version ${n % 4 === 0 ? 0 : day} of ${n}`] as const),
        );
    }
    tree = join(chain.directory, "restored");
    for (const [id, content] of at(DAYS)) {
      await mkdir(dirname(join(tree, id)), { recursive: true });
      await writeFile(join(tree, id), content);
    }
  });
  after(async () => {
    await server.stop("keep");
    await chain.close();
  });

  const compare = async (documents: Iterable<readonly [string, string]>, asOf?: string | number) => {
    const rows = client.verifyRestored(
      [...documents].map(([document_id, content]) => ({ document_id, hash: sha256(content) })),
      { asOf },
    );
    const results = new Map<string, string>();
    const root = new LogRoot();
    let last = await rows.next();
    for (; last.done !== true; last = await rows.next()) {
      root.add(last.value.text);
      results.set(last.value.row.document_id, last.value.row.result);
    }
    assert.equal(Buffer.from(root.value).toString("hex"), last.value.rows_root);
    return { results, verification: last.value };
  };
  const gapOf = async ({ verification_id }: RecoveryVerification) =>
    (await Array.fromAsync(client.gap(verification_id ?? assert.fail("not kept")))).map(
      ({ document_id }) => document_id,
    );

  it("reports no difference for a complete restore", async () => {
    const { code, out, err } = await recover();
    assert.equal(code, 0, err + out);
    assert.match(
      out,
      /^10000 of 10000 files match \(0 mismatch, 0 unrecorded, 0 not checked\), 0 recorded documents are missing/,
    );
  });

  for (const day of [4]) {
    it(`compares with the state at the end of day ${day}`, async () => {
      const then = at(day);
      const { results, verification } = await compare(then, ends[day]);
      assert.equal(verification.totals.match, then.size);
      assert.isEmpty([...results].filter(([, result]) => result !== "match"));
      assert.isEmpty(await gapOf(verification));
      const inventory = await Array.fromAsync(client.inventory({ date: ends[day] }));
      assert.deepEqual(
        new Map(inventory.map(({ document_id, hash }) => [document_id, hash])),
        new Map([...then].map(([id, content]) => [id, sha256(content)])),
      );
      assert.lengthOf(inventory, then.size, "each once");
      // A second before, what was recorded in the last block of the day was not there.
      const before = await compare(then, (ends[day] ?? 0) - 1);
      assert.isBelow(before.verification.totals.match, then.size);
    });
  }

  it("reports all changed, missing, added, renamed and older documents, and no others", async () => {
    const ids = [...recorded.keys()];
    const pick = (from: number, count: number): string[] => ids.slice(from, from + count);
    const [changed, missing, renamed] = [pick(2_000, 37), pick(4_444, 41), pick(7_010, 19)];
    const older = pick(1, 3);
    const added = Array.from({ length: 23 }, (_, n) => `archive/new/${n}.txt`);
    for (const id of changed) await writeFile(join(tree, id), `changed ${id}`);
    for (const id of missing) await rm(join(tree, id));
    for (const id of renamed) await rename(join(tree, id), join(tree, `${id}.bak`));
    for (const id of older) await writeFile(join(tree, id), recorded.get(id)?.at(-2)?.content ?? "");
    await mkdir(join(tree, "archive/new"), { recursive: true });
    for (const id of added) await writeFile(join(tree, id), `added ${id}`);

    const { code, err, out } = await recover();
    assert.equal(code, 1, err + out);
    const report = await readJson(join(chain.directory, "reports/recovery-report.json"));
    const sorted = (names: readonly string[]): string[] => [...names].sort();
    const named = (list: readonly ParsedJson[]): string[] => sorted(list.map(({ document_id }) => document_id));
    assert.isFalse(report.all_matched);
    assert.deepEqual(named(report.mismatches), sorted([...changed, ...older]));
    assert.deepEqual(named(report.mismatches.filter((row: ParsedJson) => row.earlier !== undefined)), sorted(older));
    assert.deepEqual(named(report.unrecorded), sorted([...added, ...renamed.map((id) => `${id}.bak`)]));
    for (const row of report.unrecorded) {
      const original = row.document_id.replace(/\.bak$/, "");
      assert.deepEqual(row.recorded_as, original === row.document_id ? undefined : [original]);
    }
    assert.deepEqual(named(report.missing), sorted([...missing, ...renamed]));
    for (const row of report.missing)
      assert.deepEqual(row.found_as, renamed.includes(row.document_id) ? [`${row.document_id}.bak`] : undefined);
    const files = 10_000 - missing.length + added.length;
    assert.deepInclude(report.totals, {
      files,
      mismatch: 40,
      unrecorded: 42,
      missing: 60,
      not_checked: 0,
      unlisted: 0,
      match: files - 82,
    });
    const html = await readFile(join(chain.directory, "reports/recovery-report.html"), "utf8");
    for (const id of [...changed, ...missing, ...renamed, ...older, ...added]) assert.include(html, id);
    assert.isAtMost(
      [...html.matchAll(/größe \d+\.txt/g)].length,
      4 * (changed.length + missing.length + renamed.length + older.length),
    );
  });

  function recover() {
    return runScript("recover", chain.directory, "restored", "--url", server.url, "--out", "reports");
  }
});
