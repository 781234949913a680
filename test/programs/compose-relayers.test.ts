import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { assert } from "chai";
import { hexlify, Wallet } from "ethers";
import { parse } from "yaml";
import * as z from "zod";
import { emptyDatabase } from "../support/database.ts";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";
import { eventually } from "../support/eventually.ts";
import { assertExactlyOnce, freshDocuments, type ProofRequest } from "../support/exactly-once.ts";
import { freePort } from "../support/free-port.ts";
import { type ServerProcess, startProcess } from "../support/process.ts";
import { startRawAnvil } from "../support/raw-anvil.ts";
import { rpcCall } from "../support/rpc.ts";
import { SEALBOOK } from "../support/sealbook.ts";
import { SURROUNDINGS } from "../support/surroundings.ts";

const ROOT = join(import.meta.dirname, "../..");
const run = promisify(execFile);

const Compose = z.object({
  services: z.record(
    z.string(),
    z.object({
      command: z.array(z.string()).optional(),
      environment: z.record(z.string(), z.string()).optional(),
    }),
  ),
});
const RELAYERS = ["relayer-1", "relayer-2"];

/** The services of `compose.yaml` as processes of this machine: with its commands and environment. */
describe("the two relayers of Compose", () => {
  const opened = new AsyncDisposableStack();
  const servers = new Map<string, ServerProcess>();
  const accepted: ProofRequest[] = [];
  let chainUrl: string;
  let start: (relayer: string) => Promise<void>;

  before(async () => {
    const directory = await temporaryDirectory();
    opened.defer(() => removeDirectory(directory));
    const anvil = await startRawAnvil();
    opened.defer(() => anvil.stop());
    chainUrl = anvil.http;
    await rpcCall(chainUrl, "evm_setIntervalMining", 1);
    const database = await emptyDatabase("postgres");
    opened.defer(() => database.remove());
    const { port: databasePort, password } = new URL(database.url);
    const keys = RELAYERS.map(() => new Wallet(hexlify(randomBytes(32))));
    const values: Record<string, string> = {
      RPC_URL: chainUrl,
      ADMIN_KEY: hexlify(randomBytes(32)),
      RELAYER_1_KEY: keys[0]?.privateKey ?? "",
      RELAYER_2_KEY: keys[1]?.privateKey ?? "",
      RELAYER_2_ADDRESS: keys[1]?.address ?? "",
      DATABASE_PASSWORD: password,
      POSTGRES_PASSWORD: "unused",
    };
    const ports = new Map<string, string>(
      await Promise.all(RELAYERS.map(async (name) => [name, String(await freePort())] as const)),
    );
    const journalKey = join(directory, "journal.key");
    await writeFile(journalKey, randomBytes(32).toString("hex"), { mode: 0o400 });
    /** What the network and the volumes of Compose make of a value. */
    const here = (text: string): string =>
      text
        .replace(/\$\{(\w+)[^}]*\}/g, (_, name: string) => values[name] ?? assert.fail(`${name} has no value`))
        .replace("@postgres/sealbook", `@127.0.0.1:${databasePort}${new URL(database.url).pathname}`)
        .replace("postgres://sealbook:", `postgres://${new URL(database.url).username}:`)
        .replace(/(relayer-\d):8080/g, (_, name: string) => `127.0.0.1:${ports.get(name)}`)
        .replace("/run/secrets/journal.key", journalKey);
    const text = await readFile(join(ROOT, "deploy/compose.yaml"), "utf8");
    const { services } = Compose.parse(parse(text, { merge: true }));
    const environmentOf = (service: string): Record<string, string> =>
      Object.fromEntries(
        Object.entries(services[service]?.environment ?? assert.fail(`there is no ${service}`)).map(([name, value]) => [
          name,
          here(value),
        ]),
      );

    const deployments = join(directory, "deployments");
    await mkdir(deployments);
    for (const name of RELAYERS) {
      await mkdir(join(directory, name));
      await symlink(deployments, join(directory, name, "deployments"));
    }
    for (const service of ["deploy", "grant"]) {
      const [program, ...args] = services[service]?.command ?? [];
      assert.equal(program, "sealbook");
      const env = { ...SURROUNDINGS, ...environmentOf(service), DATA_DIR: join(directory, "relayer-1") };
      await run(process.execPath, [SEALBOOK, ...args.map(here)], { env });
    }
    start = async (name) => {
      const variables = { ...environmentOf(name), PORT: ports.get(name) ?? "" };
      servers.set(name, await startProcess(join(directory, name), variables));
    };
    opened.defer(async () => {
      for (const server of servers.values()) await server.end("SIGKILL");
    });
    for (const name of RELAYERS) await start(name);
  });
  after(() => opened.disposeAsync());

  const server = (name: string): ServerProcess => servers.get(name) ?? assert.fail(`${name} does not run`);
  const leader = async (): Promise<string> => {
    const leading: string[] = [];
    for (const [name, each] of servers) {
      const { body } = await each.get("/readyz");
      if (body.leads === true) leading.push(name);
    }
    assert.lengthOf(leading, 1);
    return leading[0] ?? assert.fail();
  };
  const post = async (name: string): Promise<void> => {
    const [document = assert.fail()] = freshDocuments(1);
    const { status, text } = await server(name).post("/api/v1/proof", document);
    assert.oneOf(status, [201, 202], text);
    accepted.push(document);
  };

  for (const direction of ["one way", "the other way"]) {
    it(`go on when the one that leads is killed, ${direction}`, async () => {
      for (const name of RELAYERS) await post(name);
      const first = await leader();
      const other = RELAYERS.find((name) => name !== first) ?? assert.fail();
      await server(first).end("SIGKILL");
      servers.delete(first);
      await eventually(() => post(other));
      assert.equal(await leader(), other);
      await start(first);
      await eventually(() => post(first));
      assert.equal(await leader(), other, "the one that comes back follows");
    });
  }

  it("have each document on chain once", async () => {
    for (const name of RELAYERS) await assertExactlyOnce(server(name), chainUrl, { accepted });
  });
});
