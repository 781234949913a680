import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { assert } from "chai";
import { removeDirectory, temporaryDirectory } from "../../support/directory.ts";
import { eventually } from "../../support/eventually.ts";
import { freshDocuments, idOf, type ProofRequest } from "../../support/exactly-once.ts";
import { runJournalScript } from "../../support/journal-script.ts";
import { type RemoteChain, startRemoteChain } from "../../support/remote-chain.ts";
import { startServer, type TestServer } from "../../support/server.ts";

describe("journal import", () => {
  let chain: RemoteChain;
  let bundles: string;
  let server: TestServer | undefined;
  let batch: ProofRequest[];
  let other: ProofRequest[];
  let single: ProofRequest;
  let before: Map<string, unknown>;

  const start = async (): Promise<TestServer> =>
    (server = await startServer(
      { ...chain.variables, BATCH_MAX_AGE: "1" },
      { directory: chain.directory, settings: { journal: { reconcileIntervalMilliseconds: 200 } } },
    ));
  const stop = async (): Promise<void> => {
    await server?.stop("keep");
    server = undefined;
  };
  const variables = () => ({ RPC_URL: chain.proxy.url, DATA_DIR: chain.directory });
  const importFrom = (...paths: string[]) => runJournalScript(variables(), "import", ...paths);
  const fileOf = (document: ProofRequest): string => join(bundles, "nested", `${idOf(document)}.bundle.json`);
  const find = async (document: ProofRequest) =>
    (await (server ?? assert.fail()).get(`/api/v1/proof/${idOf(document)}`)).body;
  const loseJournal = async (): Promise<void> => {
    for (const suffix of ["", "-wal", "-shm"])
      await rm(join(chain.directory, `sealbook.sqlite${suffix}`), { force: true });
  };

  beforeEach(async () => {
    chain = await startRemoteChain();
    bundles = await temporaryDirectory();
    await mkdir(join(bundles, "nested"));
    const running = await start();
    batch = freshDocuments(5);
    other = freshDocuments(4);
    for (const documents of [batch, other])
      assert.equal((await running.post("/api/v1/proof/batch", { documents })).status, 201);
    const [document] = freshDocuments(1);
    single = document ?? assert.fail();
    assert.equal((await running.post("/api/v1/proof", single)).status, 201);
    before = new Map();
    for (const each of [...batch, ...other, single]) {
      before.set(idOf(each), await find(each));
      const { status, text } = await running.get(`/api/v1/proof/${idOf(each)}?format=bundle`);
      assert.equal(status, 200, text);
      await writeFile(fileOf(each), text);
    }
    await stop();
  });
  afterEach(async () => {
    await stop();
    await removeDirectory(bundles);
    await chain.close();
  });

  it("gives a lost journal its proofs back, where they were, and changes nothing the second time", async () => {
    await loseJournal();
    const imported = await importFrom(bundles);
    assert.equal(imported.code, 0, imported.out + imported.err);
    assert.match(imported.out, /^10 proofs restored .*, 0 to be anchored again, 0 known, 0 refused/m);
    const again = await importFrom(bundles);
    assert.equal(again.code, 0, again.err);
    assert.match(again.out, /^0 proofs restored .*, 0 to be anchored again, 10 known, 0 refused/m);
    const check = await runJournalScript(variables(), "check");
    assert.equal(check.code, 0, check.out);

    const running = await start();
    for (const each of [...batch, ...other, single]) {
      assert.deepEqual(
        JSON.stringify(await find(each)).replaceAll(/:\d+\/explorer/g, ""),
        portless(before.get(idOf(each))),
      );
      assert.equal((await running.get(`/api/v1/verify?hash=${each.hash}`)).body.valid, true);
    }
    // It is not the journal that this relayer has seen.
    assert.match(imported.out, /had seen another or a longer journal/);
    const bundle = () => running.get(`/api/v1/proof/${idOf(single)}?format=bundle`);
    assert.equal((await bundle()).status, 500);
    const { out } = await runJournalScript(variables(), "resolve");
    const [subject = ""] = /^head of 0x\w+/.exec(out) ?? [];
    assert.equal((await runJournalScript(variables(), "resolve", subject, "--reason", "lost")).code, 0);
    await eventually(async () => assert.equal((await bundle()).status, 200));
    assert.equal((await running.get("/api/v1/status")).body.status, "ok");
  });

  it("has proofs of a batch without all of its bundles anchored again", async () => {
    await loseJournal();
    const [missing] = other;
    await rm(fileOf(missing ?? assert.fail()));
    const imported = await importFrom(bundles);
    assert.equal(imported.code, 0, imported.out + imported.err);
    assert.match(imported.out, /^6 proofs restored .*, 3 to be anchored again, 0 known/m);
    assert.equal((await runJournalScript(variables(), "check")).code, 0);
    server = await startServer(
      { ...chain.variables, BATCH_MAX_AGE: "1" },
      { directory: chain.directory, settings: { chain: { takeOverMilliseconds: 1_000 } } },
    );
    await eventually(async () => {
      for (const each of other.slice(1)) assert.equal((await find(each)).status, "confirmed");
    });
  });

  it("adds what is missing only, and refuses and lists what is changed or elsewhere", async () => {
    const [first, second] = batch;
    const changed = fileOf(first ?? assert.fail());
    await writeFile(changed, (await readFile(changed, "utf8")).replace("document ", "another "));
    const foreign = join(bundles, "foreign.bundle.json");
    await writeFile(foreign, await readFile(new URL("../../vectors/bundles/batched.bundle.json", import.meta.url)));
    await writeFile(join(bundles, "broken.bundle.json"), "{");
    await writeFile(join(bundles, "other.json"), "not a bundle, and not looked at");
    const imported = await importFrom(bundles);
    assert.equal(imported.code, 1, imported.out + imported.err);
    assert.match(imported.out, /^0 proofs restored .*, 0 to be anchored again, 9 known, 3 refused/m);
    for (const file of [changed, foreign, "broken.bundle.json"])
      assert.match(imported.out, new RegExp(`${file.replaceAll(".", "\\.")}: refused: `));
    await start();
    assert.equal((await find(second ?? assert.fail())).status, "confirmed");
  });

  it("is refused beside a running server, and without bundles", async () => {
    assert.match((await importFrom(chain.directory)).err, /there are no files \*\.bundle\.json/);
    await start();
    const { code, err } = await importFrom(bundles);
    assert.equal(code, 1);
    assert.match(err, /is in use by process/);
  });
});

/** A response without the port of the server in its links. */
function portless(body: unknown): string {
  return JSON.stringify(body).replaceAll(/:\d+\/explorer/g, "");
}
