import { once } from "node:events";
import { createServer } from "node:net";
import { assert, expect } from "chai";
import type { SegmentTarget } from "../../../../server/journal/replication/segment-target.ts";
import { S3Store } from "../../../../server/journal/replication/s3-store.ts";
import { StoredSegments } from "../../../../server/journal/replication/stored-segments.ts";
import { MemoryJournal } from "../../../support/journal-source.ts";
import { type BucketReplica, bucketReplica, JOURNAL } from "../../../support/test-replica.ts";
import type { S3Fate } from "../../../support/s3-server.ts";
import { readAll, segmentsOf } from "../../../support/segments.ts";
import { thrownBy } from "../../../support/thrown.ts";

describe("a bucket target", () => {
  let replica: BucketReplica;
  let target: SegmentTarget;
  const journal = new MemoryJournal().grow(30);
  const [first, second, third] = segmentsOf(journal, 10);
  assert(first !== undefined && second !== undefined && third !== undefined);

  /** The next `times` requests of a kind have a fate. */
  const strike = (method: string, name: RegExp, fate: S3Fate, times = 1): void => {
    let left = times;
    replica.server.intercept = (request) =>
      request.method === method && name.test(request.key) && left-- > 0 ? fate : "pass";
  };

  beforeEach(async () => {
    replica = await bucketReplica();
    target = replica.open();
  });
  afterEach(() => replica.close());

  it("stores everything under its prefix", async () => {
    await target.write(first);
    for (const key of replica.server.objects.keys()) expect(key).to.match(/^journals\/one\//);
  });

  it("is listed page by page", async () => {
    replica.server.pageSize = 3;
    const many = segmentsOf(new MemoryJournal().grow(20), 1);
    for (const segment of many) await target.write(segment);
    for (const directory of ["000000001", "000000002", "000000003", "000000004"])
      await replica.put(`${directory}/other`, "");
    expect(await replica.open().newest()).to.include({ number: 20 });
  });

  it("is listed in any number of pages, with a timeout per request", async () => {
    replica.server.pageSize = 1;
    for (const directory of ["000000001", "000000002", "000000003"]) await replica.put(`${directory}/other`, "");
    const original = AbortSignal.timeout;
    const timeouts: AbortController[] = [];
    AbortSignal.timeout = () => {
      const timeout = new AbortController();
      timeouts.push(timeout);
      return timeout.signal;
    };
    // The timeouts of earlier requests expire while the server makes a page.
    replica.server.intercept = () => {
      for (const timeout of timeouts.slice(0, replica.server.requests.length - 1)) timeout.abort();
      return "pass";
    };
    try {
      await replica.open().newest();
      expect(timeouts.length).to.be.greaterThan(3);
    } finally {
      AbortSignal.timeout = original;
    }
  });

  it("is listed only from the last known segment on", async () => {
    await target.write(first);
    const stored = await target.newest();
    const moved = { ...stored, number: 2_000 };
    await replica.put("000000002/000000002000.json", JSON.stringify(moved));
    expect(await target.newest()).to.include({ number: 2_000 });
    replica.server.requests.length = 0;
    await target.newest();
    expect(
      replica.server.requests.filter(({ key }) => key === ""),
      "the directories and one of them",
    ).to.have.length(2);
  });

  it("retries single failures", async () => {
    for (const fate of [500, 503, "cut"] as const) {
      strike("PUT", /\.gz$/, fate);
      const [segment] = segmentsOf(journal, 10).slice((await target.newest())?.number ?? 0);
      assert(segment !== undefined);
      expect(await target.write(segment), String(fate)).to.equal(true);
    }
    expect(await readAll(target)).to.deep.equal(journal.lineList);
  });

  it("distinguishes an upload conflict from an existing number", async () => {
    strike("PUT", /\.json$/, 409, 2);
    expect(await target.write(first)).to.equal(true);
    strike("PUT", /02\.json$/, 409, 100);
    expect((await thrownBy(target.write(second))).message).to.include("ConditionalRequestConflict");
    strike("PUT", /02\.json$/, 412);
    expect(await target.write(second)).to.equal(false);
  });

  it("has the segment after a lost response, for either kind of retry", async () => {
    strike("PUT", /01\.json$/, "deaf");
    expect(await target.write(first), "the second attempt finds the first one's").to.equal(false);
    expect(await target.newest()).to.include({ number: 1 });
    expect(await target.write(second)).to.equal(true);
    expect(await readAll(target)).to.deep.equal(journal.lineList.slice(0, 20));
  });

  it("receives no upload for an existing number", async () => {
    await target.write(first);
    replica.server.requests.length = 0;
    expect(await target.write(first)).to.equal(false);
    expect(replica.server.requests.filter(({ method }) => method !== "GET")).to.deep.equal([]);
  });

  it("needs no permission to delete", async () => {
    await target.write(first);
    await replica.put(`000000000/000000000001-${"0".repeat(16)}.ndjson.gz`, "left by a crash");
    strike("DELETE", /./, 403, 100);
    const next = replica.open();
    await next.newest();
    expect(await next.write(second)).to.equal(true);
    expect(await readAll(next)).to.have.length(20);
  });

  it("is rejected when it overwrites despite the condition", async () => {
    replica.server.conditional = false;
    expect((await thrownBy(target.write(first))).message).to.include("ignores conditional writes and overwrites files");
    expect(await replica.list()).to.deep.equal(["sealbook-replica.json"]);
  });

  it("fails on errors, timeouts and lost connections", async () => {
    strike("GET", /./, 403, 100);
    expect((await thrownBy(target.newest())).name).to.equal("AccessDenied");
    strike("GET", /./, "hang", 100);
    expect((await thrownBy(target.newest())).name).to.equal("TimeoutError");
    replica.server.intercept = () => "pass";
    await replica.makeUnavailable();
    await thrownBy(target.newest());
    await thrownBy(target.write(first));
    await replica.makeAvailable();
    expect(await target.write(first)).to.equal(true);
  });

  it("fails for an address of another service, and for a missing bucket", async () => {
    const rude = createServer((socket) => socket.end("220 smtp.example ready\r\n")).listen(0, "127.0.0.1");
    await once(rude, "listening");
    const address = rude.address();
    assert(address !== null && typeof address === "object");
    const options = { name: "x", prefix: "", region: undefined, pathStyle: true };
    const wrong = new StoredSegments(
      new S3Store({ ...options, bucket: "bucket", endpoint: `http://127.0.0.1:${address.port}` }),
      JOURNAL,
    );
    await thrownBy(wrong.newest());
    wrong.close();
    rude.close();
    const other = new StoredSegments(
      new S3Store({ ...options, bucket: "another", endpoint: replica.server.url, region: "eu-west-1" }),
      JOURNAL,
    );
    expect((await thrownBy(other.newest())).name).to.equal("NoSuchBucket");
    other.close();
  });
});
