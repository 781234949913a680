import { once } from "node:events";
import { createServer as createHttpServer, type RequestListener, type Server } from "node:http";
import { createServer } from "node:net";
import { assert } from "chai";
import type { ObjectStore } from "../../../../server/journal/replication/object-store.ts";
import { S3Store } from "../../../../server/journal/replication/s3-store.ts";
import type { S3Fate } from "../../../support/s3-server.ts";
import { type BucketReplica, bucketReplica } from "../../../support/test-replica.ts";
import { eventually } from "../../../support/eventually.ts";
import { thrownBy } from "../../../support/thrown.ts";

const NAME = "0000000/one";
const CONTENT = Buffer.from("content");

describe("a bucket", () => {
  let replica: BucketReplica;
  let store: ObjectStore;

  /** The next `times` requests of a kind have a fate. */
  const strike = (method: string, fate: S3Fate, times = 1): void => {
    let left = times;
    replica.server.intercept = (request) => (request.method === method && left-- > 0 ? fate : "pass");
  };
  const options = { name: "x", prefix: "", region: undefined, pathStyle: true };

  beforeEach(async () => {
    replica = await bucketReplica();
    store = replica.open();
  });
  afterEach(() => replica.close());

  it("stores everything under its prefix", async () => {
    await store.put(NAME, CONTENT);
    assert.deepEqual([...replica.server.objects.keys()], [`journals/one/${NAME}`]);
    assert.deepEqual(await Array.fromAsync(store.list("")), [NAME]);
    assert.deepEqual(await store.get(NAME, 100), CONTENT);
  });

  it("keeps an object as it was first stored", async () => {
    await store.put(NAME, CONTENT);
    await store.put(NAME, Buffer.from("other"));
    assert.deepEqual(await store.get(NAME, 100), CONTENT);
  });

  it("has no object that was not stored, nor one that is longer than the limit", async () => {
    assert.isUndefined(await store.get(NAME, 100));
    await store.put(NAME, CONTENT);
    assert.isUndefined(await store.get(NAME, CONTENT.length - 1));
  });

  it("is listed page by page, from a name on", async () => {
    replica.server.pageSize = 3;
    const names = Array.from({ length: 20 }, (_, index) => `0000000/${String(index).padStart(3, "0")}`);
    for (const name of names) await store.put(name, CONTENT);
    assert.deepEqual(await Array.fromAsync(store.list("")), names);
    replica.server.requests.length = 0;
    assert.deepEqual(await Array.fromAsync(store.list("0000000/016")), names.slice(17));
    assert.lengthOf(replica.server.requests, 1);
  });

  it("gets a request again that it could not process", async () => {
    for (const fate of [500, 503, 409]) {
      strike("PUT", fate, 2);
      await store.put(`0000000/${fate}`, CONTENT);
    }
    assert.lengthOf(await Array.fromAsync(store.list("")), 3);
  });

  it("has the object after a lost response", async () => {
    strike("PUT", "deaf");
    await store.put(NAME, CONTENT);
    assert.lengthOf(replica.server.requests, 2);
    assert.deepEqual(await store.get(NAME, 100), CONTENT);
  });

  it("fails on errors and lost connections, with its name and the service's code", async () => {
    strike("GET", 403, 100);
    for (const use of [() => Array.fromAsync(store.list("")), () => store.get(NAME, 100)])
      assert.match((await thrownBy(use())).message, /^s3:\/\/.* responds with 403 AccessDenied/);
    strike("PUT", 409, 100);
    assert.include((await thrownBy(store.put(NAME, CONTENT))).message, "409 ConditionalRequestConflict");
    strike("GET", "cut", 100);
    await thrownBy(Array.fromAsync(store.list("")));
    await replica.makeUnavailable();
    await thrownBy(store.put(NAME, CONTENT));
    await replica.makeAvailable();
    replica.server.intercept = () => "pass";
    await store.put(NAME, CONTENT);
  });

  it("ends a request without a response", async () => {
    strike("GET", "hang", 100);
    const original = AbortSignal.timeout;
    AbortSignal.timeout = () => original(50);
    try {
      assert.equal((await thrownBy(store.get(NAME, 100))).name, "TimeoutError");
    } finally {
      AbortSignal.timeout = original;
    }
  });

  it("gets a request again whose connection was lost", async () => {
    await store.put(NAME, CONTENT);
    strike("GET", "cut", 2);
    assert.deepEqual(await store.get(NAME, 100), CONTENT);
  });

  it("ends requests when it is told to", async () => {
    strike("GET", "hang", 100);
    const stop = new AbortController();
    const { bucket, url: endpoint } = replica.server;
    const stopped = new S3Store({ ...options, bucket, endpoint }, stop.signal);
    const ended = thrownBy(stopped.get(NAME, 100));
    await eventually(async () => assert.lengthOf(replica.server.requests, 1));
    stop.abort();
    assert.equal((await ended).name, "AbortError");
    assert.lengthOf(replica.server.requests, 1);
  });

  it("fails for an address of another service, and for a missing bucket", async () => {
    const rude = createServer((socket) => socket.end("220 smtp.example ready\r\n")).listen(0, "127.0.0.1");
    await once(rude, "listening");
    const address = rude.address();
    assert(address !== null && typeof address === "object");
    const wrong = new S3Store({ ...options, bucket: "bucket", endpoint: `http://127.0.0.1:${address.port}` });
    await thrownBy(wrong.get(NAME, 100));
    rude.close();
    const other = new S3Store({ ...options, bucket: "another", endpoint: replica.server.url, region: "eu-west-1" });
    for (const use of [() => other.get(NAME, 100), () => Array.fromAsync(other.list(""))])
      assert.include((await thrownBy(use())).message, "NoSuchBucket");
  });

  it("has names with any characters", async () => {
    const bucket = { bucket: replica.server.bucket, endpoint: replica.server.url };
    const odd = new S3Store({ ...options, ...bucket, prefix: "a+b/100% & 'c'/" });
    await odd.put(NAME, CONTENT);
    assert.deepEqual([...replica.server.objects.keys()], [`a+b/100% & 'c'/${NAME}`]);
    assert.deepEqual(await Array.fromAsync(odd.list("")), [NAME]);
    assert.deepEqual(await odd.get(NAME, 100), CONTENT);
  });

  it("is in the path of an address without a name", async () => {
    const { bucket, url: endpoint } = replica.server;
    const addressed = new S3Store({ ...options, bucket, endpoint, pathStyle: false });
    await addressed.put(NAME, CONTENT);
    assert.deepEqual([...replica.server.objects.keys()], [NAME]);
  });

  describe("that responds with something else", () => {
    let wrong: ObjectStore;
    let service: Server;

    const responding = async (respond: RequestListener): Promise<void> => {
      service = createHttpServer(respond).listen(0, "127.0.0.1");
      await once(service, "listening");
      const address = service.address();
      assert(address !== null && typeof address === "object");
      wrong = new S3Store({ ...options, bucket: "bucket", endpoint: `http://127.0.0.1:${address.port}` });
    };
    afterEach(() => service.close());

    it("does not count as empty when the answer is no list", async () => {
      await responding((_, response) => response.end("<html>It works!</html>"));
      assert.match((await thrownBy(Array.fromAsync(wrong.list("")))).message, /something else than a list/);
    });

    it("does not count as without an object when the answer is not a bucket's", async () => {
      for (const body of ["", "<html>NoSuchKey</html>", "<Error><Code>NoSuchBucket</Code></Error>"]) {
        await responding((_, response) => response.writeHead(404).end(body));
        assert.match((await thrownBy(wrong.get(NAME, 100))).message, /^x responds with 404/);
        service.close();
      }
    });

    it("is named with the status of a refusal that breaks off", async () => {
      await responding((_, response) => {
        response.writeHead(403, { "Content-Length": 100 }).write("<Error><Code>Acc");
        setImmediate(() => response.destroy());
      });
      assert.equal((await thrownBy(wrong.get(NAME, 100))).message, "x responds with 403");
    });

    it("is named with the region of a bucket that is in another one", async () => {
      await responding((_, response) =>
        response
          .writeHead(301, { "x-amz-bucket-region": "eu-west-1" })
          .end("<Error><Code>PermanentRedirect</Code><Message>Elsewhere</Message></Error>"),
      );
      assert.equal(
        (await thrownBy(wrong.put(NAME, CONTENT))).message,
        "x responds with 301 PermanentRedirect Elsewhere (the bucket is in the region eu-west-1)",
      );
    });
  });

  it("needs credentials", () => {
    delete process.env["AWS_SECRET_ACCESS_KEY"];
    assert.throws(
      () => new S3Store({ ...options, bucket: "bucket", endpoint: undefined }),
      "x needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
    );
  });
});
