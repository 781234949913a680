import { existsSync } from "node:fs";
import { join } from "node:path";
import { assert } from "chai";
import { beginAnew } from "../../server/composition/fresh-folder.ts";
import { parseConfig } from "../../server/config/config.ts";
import type { EnvironmentVariables } from "../../server/config/environment.ts";
import { anchored } from "../support/anchored.ts";
import { removeDirectory } from "../support/directory.ts";
import { eventually } from "../support/eventually.ts";
import { freshDocuments } from "../support/exactly-once.ts";
import { type RawAnvil, startRawAnvil, startRawNode } from "../support/raw-anvil.ts";
import { type RemoteChain, startRemoteChain } from "../support/remote-chain.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { thrownBy } from "../support/thrown.ts";

describe("a development node that was started anew", () => {
  let chain: RemoteChain;
  let other: RawAnvil;
  let server: TestServer;
  let variables: EnvironmentVariables;

  before(async () => {
    chain = await startRemoteChain(startRawNode);
    other = await startRawAnvil(0, "london");
    variables = { ...chain.variables, DATA_DIR: chain.directory };
    server = await startServer(variables, { directory: chain.directory });
    const [document = assert.fail()] = freshDocuments(1);
    await anchored(server, "/api/v1/proof", document);
  });
  after(async () => {
    await server.stop("keep");
    await chain.close();
    await other.stop();
    for (const number of [1, 2]) await removeDirectory(`${chain.directory}-${number}`);
  });

  const fresh = (more: EnvironmentVariables = {}): Promise<string | undefined> =>
    beginAnew(parseConfig({ ...variables, ...more }));

  it("is reported at the start in one line, with both chains and what to do", async () => {
    await server.stop("keep");
    const right = chain.proxy.target;
    chain.proxy.target = other.http;
    server = await startServer(variables, { directory: chain.directory });
    assert.equal((await server.get("/readyz")).status, 503);
    const lines = server.log.map((line) => JSON.parse(line)).filter(({ level }) => level === "error");
    assert.lengthOf(lines, 1);
    assert.match(
      lines[0].msg,
      /belongs to another chain than the one at RPC_URL: .*block 0 is 0x\w{64}, not 0x\w{64}.* start with --fresh/,
    );
    await eventually(async () =>
      assert.isTrue(server.log.some((line) => line.includes("transaction sender: failing"))),
    );
    for (const line of server.log) assert.isBelow(line.length, 1_000, line);
    chain.proxy.target = right;
  });

  it("cannot have a new folder while a server uses the old one", async () => {
    const error = await thrownBy(fresh());
    assert.include(error.message, "is in use by process");
    assert.isFalse(existsSync(`${chain.directory}-1`));
  });

  it("gets a new folder beside the old one, with the addresses of contracts that it has", async () => {
    await server.stop("keep");
    const deployment = join("deployments", `${other.chainId}.json`);
    assert.equal(await fresh(), `${chain.directory}-1`);
    assert.isTrue(existsSync(join(`${chain.directory}-1`, "sealbook.sqlite")));
    assert.isTrue(existsSync(join(chain.directory, deployment)), "the chain has the contracts");
    server = await startServer({ ...variables, NEW_JOURNAL: "yes" }, { directory: chain.directory });
    assert.equal((await server.get("/api/v1/status")).body.journal.records, 0);
    await server.stop("keep");

    const right = chain.proxy.target;
    chain.proxy.target = other.http;
    assert.equal(await fresh(), `${chain.directory}-2`);
    assert.isFalse(existsSync(join(chain.directory, deployment)), "the other chain does not have them");
    chain.proxy.target = right;
  });

  it("is on this machine, and so is the journal: others get no new folder", async () => {
    for (const more of [{ RPC_URL: "https://node.example" }, { DATABASE_URL: "postgres://db.example/sealbook" }]) {
      const error = await thrownBy(fresh(more));
      assert.include(error.message, "set DATA_DIR and DATABASE_URL to new places instead");
    }
  });
});
