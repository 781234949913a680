import { FindingsFile } from "../../server/journal/findings/findings-file.ts";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { assert } from "chai";
import { accountCommand } from "../../scripts/commands/account.ts";
import { apikeyCommand } from "../../scripts/commands/apikey.ts";
import { journalCommand } from "../../scripts/commands/journal.ts";
import { resyncCommand } from "../../scripts/commands/resync.ts";
import { runHere } from "../support/command.ts";
import { emptyDatabase, ENGINES, sharedCluster } from "../support/database.ts";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";
import type { EngineDatabase } from "../support/engine-database.ts";
import { putKey } from "../support/journal-key.ts";
import { type RelayerPair, type RelayerSeat, startRelayerPair } from "../support/relayer-pair.ts";

type Create = Parameters<typeof runHere>[0];

/** Tables that commands write. */
const WRITTEN = ["accounts", "api_keys", "changed_keystores", "entries", "resolutions", "sessions"];

for (const engine of ENGINES)
  describe(`commands of an operator that write, on ${engine}`, () => {
    let pair: RelayerPair;
    let database: EngineDatabase;
    let seat: RelayerSeat;

    beforeEach(async () => {
      database = await emptyDatabase(engine);
      pair = await startRelayerPair(database);
      await pair.mine();
      [seat] = pair.seats;
    });
    afterEach(() => pair.close());

    const run = async (create: Create, args: readonly string[], input = "", directory = seat.directory) => {
      const variables = { DATABASE_URL: database.url, DATA_DIR: directory, RPC_URL: pair.url };
      return runHere(create, { ...variables, ADMIN_KEY: pair.administratorKey }, args, input);
    };
    const done = async (...[create, args, input]: Parameters<typeof run>): Promise<string> => {
      const { code, out, err } = await run(create, args, input);
      assert.equal(code, 0, err);
      return out;
    };
    /** Each of them once. */
    const runAll = async (): Promise<void> => {
      const { key, id } = JSON.parse(await done(apikeyCommand, ["create", "a client", "--json"]));
      assert.match(key, /^sbk_/);
      assert.include(await done(apikeyCommand, ["list"]), id);
      assert.include(await done(apikeyCommand, ["revoke", id]), "is revoked");
      assert.include((await run(apikeyCommand, ["revoke", id])).err, "there is no valid key");
      const { login, password } = JSON.parse(await done(accountCommand, ["create", "--json"]));
      const changed = JSON.parse(await done(accountCommand, ["password", login, "--json"], `${password}\n`));
      assert.notEqual(changed.password, password);
      assert.include((await run(accountCommand, ["password", login], `${password}\n`)).err, "password is wrong");
      await done(accountCommand, ["revoke", login, "--yes"]);
      assert.include(await done(accountCommand, ["list"]), "revoked");
      assert.include((await run(accountCommand, ["revoke", login, "--yes"])).err, "is revoked");
    };

    it("write through the server of the data folder", async () => {
      await seat.start();
      await runAll();
    });

    it("write by themselves when no server runs, also after one was killed", async () => {
      const server = await seat.start();
      await server.end("SIGKILL");
      await runAll();
      await seat.start();
      assert.equal((await run(apikeyCommand, ["list"])).code, 0);
    });

    it("refuse to write beside a server of another folder", async () => {
      const server = await seat.start();
      const other = await temporaryDirectory();
      await putKey(other);
      await cp(join(seat.directory, "deployments"), join(other, "deployments"), { recursive: true });
      for (const [create, args] of [
        [apikeyCommand, ["create", "a client"]],
        [accountCommand, ["create"]],
        [resyncCommand, []],
        [journalCommand, ["restore"]],
      ] as const) {
        const { code, err } = await run(create, args, "", other);
        assert.equal(code, 1);
        assert.include(err, "a server of another DATA_DIR writes this database");
      }
      await removeDirectory(other);
      await server.end("SIGTERM");
    });

    it("wait for the server that starts or stops at that moment", async () => {
      await (await seat.start()).end("SIGTERM");
      const [server] = await Promise.all([seat.start(), done(apikeyCommand, ["create", "one"])]);
      await Promise.all([server.end("SIGTERM"), done(apikeyCommand, ["create", "two"])]);
      const list = await done(apikeyCommand, ["list"]);
      for (const name of ["one", "two"]) assert.include(list, name);
    });
  });

describe("commands of an operator at a relayer that follows", () => {
  it("write through the leader, whose session is the only one that writes", async () => {
    const database = await emptyDatabase("postgres");
    const pair = await startRelayerPair(database);
    try {
      await pair.mine();
      const [leading, following] = pair.seats;
      await leading.start();
      await following.start();
      const { pathname } = new URL(database.url);
      const cluster = await sharedCluster();
      await cluster.query(
        `create function only_leader() returns trigger language plpgsql as $$ begin
           if current_setting('application_name') <> 'sealbook leader' then raise 'a second writer'; end if;
           return null; end $$;` +
          WRITTEN.map(
            (table) =>
              `create trigger only_leader after insert or update or delete on ${table} for each row
                 execute function only_leader();`,
          ).join(""),
        pathname.slice(1),
      );
      const run = async (create: Create, args: readonly string[], input = ""): Promise<string> => {
        const variables = { DATABASE_URL: database.url, DATA_DIR: following.directory, RPC_URL: pair.url };
        const { code, out, err } = await runHere(
          create,
          { ...variables, ADMIN_KEY: pair.administratorKey },
          args,
          input,
        );
        assert.equal(code, 0, err);
        return out;
      };
      const { id } = JSON.parse(await run(apikeyCommand, ["create", "a client", "--json"]));
      await run(apikeyCommand, ["revoke", id]);
      const { login, password } = JSON.parse(await run(accountCommand, ["create", "--json"]));
      await run(accountCommand, ["password", login], `${password}\n`);
      await run(accountCommand, ["revoke", login, "--yes"]);
      await new FindingsFile(following.directory).write({
        checkedAt: undefined,
        block: undefined,
        divergences: [{ subject: "transaction 1", message: "is another one" }],
      });
      await run(journalCommand, ["resolve", "transaction 1", "--reason", "it was looked into"]);
      assert.isNotEmpty(await database.query("select sequence from resolutions"));
    } finally {
      await pair.close();
    }
  });
});
