import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { StoredRow } from "../../server/journal/entries/journal-row.ts";
import type { JournalKey } from "../../server/journal/integrity/journal-key.ts";
import { FolderStore } from "../../server/journal/replication/folder-store.ts";
import type { ObjectStore } from "../../server/journal/replication/object-store.ts";
import { encodeRows, objectName, type ReplicaJournal } from "../../server/journal/replication/replica-object.ts";
import { replicaObjects } from "../../server/journal/replication/replica-reader.ts";
import { S3Store } from "../../server/journal/replication/s3-store.ts";
import { removeDirectory, temporaryDirectory } from "./directory.ts";
import { KEY } from "./journal-key.ts";
import { type S3Server, startS3Server } from "./s3-server.ts";

export const JOURNAL = "7325:0x00000000000000000000000000000000000000aa";

/** What the objects of a replica say of their journal. */
export const NAMED: ReplicaJournal = { journal: JOURNAL, nameCode: KEY.codeOfName(JOURNAL) };

/** Stores rows as one object; returns its name. */
export async function storeRows(
  store: ObjectStore,
  rows: readonly StoredRow[],
  journal: ReplicaJournal = NAMED,
): Promise<string> {
  const [first, last] = [rows[0], rows.at(-1)];
  if (first === undefined || last === undefined) throw new Error("there are no rows");
  const name = objectName(first.first, last);
  await store.put(name, encodeRows(journal, rows));
  return name;
}

/** Reads all rows of a replica, and checks them. */
export async function readAll(store: ObjectStore, key: JournalKey = KEY): Promise<StoredRow[]> {
  return (await Array.fromAsync(replicaObjects(store, key))).flatMap(({ rows }) => rows);
}

/** A real storage for objects that a test can inspect, change, and make unavailable. */
export interface TestReplica {
  /** Opens it as another process would. */
  open(): ObjectStore;
  /** Lists the names of all files, in order. */
  list(): Promise<string[]>;
  get(key: string): Promise<Buffer>;
  put(key: string, content: Uint8Array | string): Promise<void>;
  remove(key: string): Promise<void>;
  /** Makes it unavailable until {@link TestReplica.makeAvailable}. */
  makeUnavailable(): Promise<void>;
  makeAvailable(): Promise<void>;
  close(): Promise<void>;
}

/** A folder, as on a disk that can be unmounted. */
export interface FolderReplica extends TestReplica {
  readonly path: string;
}

export async function folderReplica(): Promise<FolderReplica> {
  const directory = await temporaryDirectory();
  const path = join(directory, "disk");
  const unavailable = join(directory, "unavailable");
  await mkdir(path);
  return {
    path,
    open: () => new FolderStore({ name: `file://${path}`, path, mountPoint: false }),
    async list() {
      const entries = await readdir(path, { recursive: true, withFileTypes: true });
      return entries
        .flatMap((entry) => (entry.isFile() ? [join(entry.parentPath, entry.name).slice(path.length + 1)] : []))
        .sort();
    },
    get: (key) => readFile(join(path, key)),
    async put(key, content) {
      await mkdir(join(path, key, ".."), { recursive: true });
      await writeFile(join(path, key), content);
    },
    remove: (key) => rm(join(path, key)),
    makeUnavailable: () => rename(path, unavailable),
    makeAvailable: () => rename(unavailable, path),
    close: () => removeDirectory(directory),
  };
}

/** A bucket of the stand-in for S3. */
export interface BucketReplica extends TestReplica {
  readonly server: S3Server;
}

const PREFIX = "journals/one/";
const CREDENTIALS = { AWS_ACCESS_KEY_ID: "test", AWS_SECRET_ACCESS_KEY: "test" };

export async function bucketReplica(): Promise<BucketReplica> {
  const server = await startS3Server();
  const before = { ...process.env };
  Object.assign(process.env, CREDENTIALS);
  const found = (key: string): Buffer => {
    const content = server.objects.get(`${PREFIX}${key}`);
    if (content === undefined) throw new Error(`there is no ${key}`);
    return content;
  };
  return {
    server,
    open() {
      const { bucket, url: endpoint } = server;
      const name = `s3://${bucket}/${PREFIX}`;
      return new S3Store({ name, bucket, prefix: PREFIX, endpoint, region: undefined, pathStyle: true });
    },
    async list() {
      return [...server.objects.keys()].map((key) => key.slice(PREFIX.length)).sort();
    },
    get: async (key) => found(key),
    async put(key, content) {
      server.objects.set(`${PREFIX}${key}`, Buffer.from(content));
    },
    async remove(key) {
      found(key);
      server.objects.delete(`${PREFIX}${key}`);
    },
    makeUnavailable: () => server.makeUnavailable(),
    makeAvailable: () => server.makeAvailable(),
    async close() {
      for (const name of Object.keys(CREDENTIALS)) {
        if (before[name] === undefined) delete process.env[name];
        else process.env[name] = before[name];
      }
      await server.close();
    },
  };
}
