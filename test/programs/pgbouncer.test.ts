import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { assert } from "chai";
import { Candidate } from "../../server/journal/leader/candidate.ts";
import { anchored } from "../support/anchored.ts";
import { emptyDatabase } from "../support/database.ts";
import { debianProgram } from "../support/debian-program.ts";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";
import type { EngineDatabase } from "../support/engine-database.ts";
import { eventually } from "../support/eventually.ts";
import { freshDocuments } from "../support/exactly-once.ts";
import { freePort } from "../support/free-port.ts";
import { startServer } from "../support/server.ts";
import { thrownBy } from "../support/thrown.ts";

const NOBODY = 65534;

/** PgBouncer in front of a database. */
async function startBouncer(directory: string, database: string, mode: "session" | "transaction") {
  const url = new URL(database);
  const port = await freePort();
  const [config, users] = [join(directory, `${mode}.ini`), join(directory, "users.txt")];
  writeFileSync(users, `"${url.username}" "${url.password}"\n`);
  const settings = {
    listen_addr: "127.0.0.1",
    listen_port: port,
    unix_socket_dir: "",
    auth_type: "scram-sha-256",
    auth_file: users,
    pool_mode: mode,
    max_client_conn: 200,
    default_pool_size: 50,
    ignore_startup_parameters: "options,statement_timeout",
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`);
  writeFileSync(config, `[databases]\n* = host=${url.hostname} port=${url.port}\n[pgbouncer]\n${lines.join("")}`);
  const isRoot = process.getuid?.() === 0;
  if (isRoot) for (const path of [directory, config, users]) chownSync(path, NOBODY, NOBODY);
  const child: ChildProcess = spawn(debianProgram("pgbouncer", "pgbouncer", "/usr/sbin"), [config], {
    stdio: "ignore",
    ...(isRoot ? { uid: NOBODY, gid: NOBODY } : {}),
  });
  url.port = String(port);
  return {
    url: url.href,
    async stop() {
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
    },
  };
}

describe("a relayer behind PgBouncer", () => {
  let directory: string;
  let database: EngineDatabase;

  before(async () => {
    database = await emptyDatabase("postgres");
  });
  beforeEach(async () => {
    directory = await temporaryDirectory();
  });
  afterEach(() => removeDirectory(directory));
  after(() => database.remove());

  it("does not lead in transaction mode, in which a lock is of a session that others use as well", async () => {
    const server = await startServer({ DATABASE_URL: database.url });
    await server.stop();
    const bouncer = await startBouncer(directory, database.url, "transaction");
    // Something that the statements of the candidate alternate with, as those of other clients do.
    const other = new Candidate(bouncer.url, { holder: "other" });
    const stop = new AbortController();
    const beside = (async () => {
      while (!stop.signal.aborted)
        await other.attempt().then(
          (session) => session?.end(),
          () => undefined,
        );
    })();
    try {
      const attempt = async (): Promise<void> => {
        const session = await new Candidate(bouncer.url, { holder: "one" }).attempt();
        await session?.end();
      };
      await eventually(async () => {
        const error = await thrownBy(attempt());
        assert.include(String(error), "use the pooler in session mode");
      });
    } finally {
      stop.abort();
      await beside;
      await bouncer.stop();
    }
  });

  it("leads in session mode", async () => {
    const fresh = await emptyDatabase("postgres");
    const bouncer = await startBouncer(directory, fresh.url, "session");
    try {
      const server = await eventually(() => startServer({ DATABASE_URL: bouncer.url }));
      for (const document of freshDocuments(1)) await anchored(server, "/api/v1/proof", document);
      await server.stop();
    } finally {
      await bouncer.stop();
      await fresh.remove();
    }
  });
});
