import { randomUUID } from "node:crypto";
import { assert } from "chai";
import { getBytes, keccak256 } from "ethers";
import type { EnvironmentVariables } from "../../server/config/environment.ts";
import { emptyDatabase, ENGINES } from "../support/database.ts";
import type { EngineDatabase } from "../support/engine-database.ts";
import { content, refused } from "../support/envelope.ts";
import { eventually } from "../support/eventually.ts";
import { hang, only, RECEIPTS, SEND } from "../support/faulty-proxy.ts";
import { type ServerProcess, startProcess } from "../support/process.ts";
import { type RemoteChain, startRemoteChain } from "../support/remote-chain.ts";
import { rpcCall } from "../support/rpc.ts";
import { FAST_RECHECK, type Login, ROUTES, startServer } from "../support/server.ts";

type Headers = Record<string, string>;
const key = (): Headers => ({ "Idempotency-Key": randomUUID() });

for (const engine of ENGINES)
  describe(`a session on ${engine}, of which a call was cut off by kill -9`, () => {
    let chain: RemoteChain;
    let database: EngineDatabase;
    let server: ServerProcess;
    let account: Login;
    before(async () => {
      chain = await startRemoteChain();
      database = await emptyDatabase(engine);
      const first = await startServer(
        { ...chain.variables, DATABASE_URL: database.url },
        { directory: chain.directory },
      );
      account = (await first.context.accounts?.create("full")) ?? assert.fail("there is no administration");
      await first.stop("keep");
      await start();
    });
    after(async () => {
      await server.end("SIGKILL");
      await chain.close();
      await database.remove();
    });

    const start = async (variables: EnvironmentVariables = {}): Promise<void> => {
      const all = { ...chain.variables, DATABASE_URL: database.url, ...variables };
      server = await startProcess(chain.directory, all, FAST_RECHECK);
    };
    const restart = async (): Promise<void> => {
      chain.proxy.mode = "pass";
      await start();
    };
    const login = async (): Promise<string> => content(await server.call(ROUTES.auth, account), ROUTES.auth).tparams.tx;
    const call = (name: "validate" | "extend", token: string, headers?: Headers) =>
      server.call(ROUTES[name], { token }, {}, headers);
    const successor = async (name: "validate" | "extend", token: string, headers?: Headers): Promise<string> =>
      content(await call(name, token, headers), ROUTES[name]).tparams.tx;
    const search = (token: string) =>
      server.call(ROUTES.search, { token }, { search: { target: "1", value: "nothing" } });
    const stateOf = async (token: string): Promise<{ state: unknown; keys: number }> => {
      const hash = database.literal(getBytes(keccak256(token)));
      const keys = "length(wrapped_secure_key) + length(encrypted_signing_key)";
      const rows = await database.query(`select state, ${keys} as keys from sessions where token_hash = ${hash}`);
      return { state: rows[0]?.["state"], keys: Number(rows[0]?.["keys"]) };
    };
    /** Makes calls, waits for a state of them, and kills the server. */
    const cutOff = async (calls: () => Promise<unknown>[], reached: () => Promise<void>): Promise<void> => {
      const responses = calls().map((response) =>
        response.then(
          () => assert.fail("a client got a response"),
          (error: unknown) => assert.instanceOf(error, TypeError),
        ),
      );
      await eventually(reached);
      await server.end("SIGKILL");
      await Promise.all(responses);
    };

    for (const name of ["validate", "extend"] as const) {
      it(`goes on when the ${name} call was sent: the same call with the same key has the new token`, async () => {
        const [repeated, waiting, keyless] = [await validated(), await validated(), await validated()];
        const [first, second] = [key(), key()];
        chain.proxy.intercept = only([SEND], hang);
        const from = chain.proxy.attempted.length;
        await cutOff(
          () => [call(name, repeated, first), call(name, waiting, second), call(name, keyless)],
          // Each of them: the server sends again what gets no response.
          () => Promise.resolve(assert.isAtLeast(new Set(chain.proxy.attempted.slice(from)).size, 3)),
        );
        await restart();
        const next = await successor(name, repeated, first);
        assert.equal(await successor(name, repeated, first), next);
        // The others are completed without a call, and the old tokens are good for nothing.
        for (const old of [waiting, keyless]) {
          refused(await search(old), ROUTES.search, 401, "token_invalid");
          assert.equal((await stateOf(old)).state, "ended");
        }
        await eventually(async () => {
          const open = await database.query("select count(*) as open from sessions where state = 'opening'");
          assert.equal(Number(open[0]?.["open"]), 0);
        });
        const later = await successor(name, waiting, second);
        for (const token of [next, later]) content(await search(token), ROUTES.search);
        for (const token of [repeated, waiting, keyless])
          refused(await call(name, token), ROUTES[name], 401, "token_invalid");
        content(await server.call(ROUTES.close, { token: next }), ROUTES.close);
        assert.deepEqual([(await stateOf(repeated)).keys, (await stateOf(next)).keys], [0, 0]);
      });

      it(`goes on when the ${name} call was mined and its outcome not read`, async () => {
        const token = await validated();
        const headers = key();
        chain.proxy.intercept = only(RECEIPTS, hang);
        const block = await rpcCall(chain.url, "eth_blockNumber");
        await cutOff(
          () => [call(name, token, headers)],
          async () => assert.notEqual(await rpcCall(chain.url, "eth_blockNumber"), block),
        );
        await restart();
        content(await search(await successor(name, token, headers)), ROUTES.search);
      });
    }

    it("keeps its token when the call was not sent, and the same call with the same key can be made", async () => {
      const [token, keyless] = [await login(), await login()];
      const headers = key();
      await server.end("SIGKILL");
      // Nothing is signed before the node has returned the nonce.
      chain.proxy.mode = "off";
      await start();
      await cutOff(
        () => [call("validate", token, headers), call("validate", keyless)],
        async () => {
          assert.equal((await stateOf(token)).state, "replacing");
          assert.equal((await stateOf(keyless)).state, "replacing");
        },
      );
      await restart();
      for (const live of [token, keyless]) content(await search(live), ROUTES.search);
      content(await search(await successor("validate", token, headers)), ROUTES.search);
      content(await search(await successor("validate", keyless)), ROUTES.search);
    });

    it("goes on after its call got 503 because the server stopped or the chain stalled", async () => {
      const token = await login();
      const headers = key();
      chain.proxy.intercept = only([SEND], () => "cut");
      const from = chain.proxy.attempted.length;
      const stopped = call("validate", token, headers);
      await eventually(() => Promise.resolve(assert.isAbove(chain.proxy.attempted.length, from)));
      assert.deepEqual(await server.end("SIGTERM"), { code: 0, signal: null });
      refused(await stopped, ROUTES.validate, 503, "chain_unavailable");
      await start({ CHAIN_WAIT: "1" });
      for (let repeats = 0; repeats < 2; repeats += 1)
        refused(await call("validate", token, headers), ROUTES.validate, 503, "chain_unavailable");
      chain.proxy.mode = "pass";
      content(await search(await eventually(() => successor("validate", token, headers))), ROUTES.search);
      await server.end("SIGTERM");
      await start();
    });

    it("ends when its close was sent, and has no keys", async () => {
      const first = await login();
      const second = await successor("validate", first, key());
      chain.proxy.intercept = only([SEND], hang);
      const from = chain.proxy.attempted.length;
      await cutOff(
        () => [server.call(ROUTES.close, { token: second })],
        () => Promise.resolve(assert.isAbove(chain.proxy.attempted.length, from)),
      );
      await restart();
      refused(await search(second), ROUTES.search, 401, "token_invalid");
      assert.deepEqual([(await stateOf(first)).keys, (await stateOf(second)).keys], [0, 0]);
    });

    /** Opens a session and validates it, so that it can be extended. */
    async function validated(): Promise<string> {
      return successor("validate", await login());
    }
  });
