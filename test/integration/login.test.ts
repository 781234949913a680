import { createHook } from "node:async_hooks";
import { assert } from "chai";
import { Wallet } from "ethers";
import { refused } from "../support/envelope.ts";
import type { HttpResponse } from "../support/http.ts";
import { type Login, ROUTES, startServer, type TestServer } from "../support/server.ts";

const MINUTE = 60_000;

describe("logins", function () {
  let server: TestServer;
  let aside = 0;
  before(async () => {
    server = await startServer(
      {
        TRUSTED_PROXIES: "127.0.0.1",
        SESSION_LIFETIME: "86400",
      },
      {
        overrides: { clock: () => Date.now() + aside, steadyClock: () => Date.now() + aside },
        settings: {
          sessions: { loginAttemptsPerAddress: 2, loginAttemptsPerSource: 3 },
          chain: { clockLimitMilliseconds: Infinity },
        },
      },
    );
  });
  after(() => server.stop());

  const from = (source: string, { login, password }: Login): Promise<HttpResponse> =>
    server.call(ROUTES.auth, { login, password }, undefined, { "X-Forwarded-For": source });
  const wrong = (source: string, login: string = Wallet.createRandom().address) =>
    from(source, { login, password: "wrong" });
  const secondsToWait = (response: HttpResponse): number => {
    refused(response, ROUTES.auth, 429, "too_many_requests");
    assert.match(response.headers.get("Retry-After") ?? "", /^[1-9]\d*$/);
    return Number(response.headers.get("Retry-After"));
  };

  /** The response without its unique members, and the number of key derivations. */
  const refusal = async (source: string, credentials: Login): Promise<{ response: object; derivations: number }> => {
    let derivations = 0;
    const hook = createHook({ init: (_id, type) => void (type === "SCRYPTREQUEST" && (derivations += 1)) }).enable();
    const { status, headers, body } = await from(source, credentials);
    hook.disable();
    const { render, ...rest } = body;
    assert.match(render, /^\d+\.\d{6}$/);
    const sent = [...headers].filter(([name]) => !["date", "x-request-id", "content-length"].includes(name));
    return { response: { status, sent, body: rest, length: Number(headers.get("content-length")) }, derivations };
  };

  // Security, network: cannot find out from responses, or their duration, which accounts exist
  it("respond and cost the same for an unknown login, a wrong password and a revoked account", async () => {
    const { accounts = assert.fail("there is no administration") } = server.context;
    const revoked = await accounts.create("full");
    await accounts.revoke(revoked.login);
    const known = await refusal("10.1.0.1", { ...server.demo, password: "wrong" });
    assert.equal(known.derivations, 1);
    assert.deepEqual(await refusal("10.1.0.2", { login: Wallet.createRandom().address, password: "wrong" }), known);
    assert.deepEqual(
      await refusal("10.1.0.3", { login: Wallet.createRandom().address, password: server.demo.password }),
      known,
    );
    assert.deepEqual(await refusal("10.1.0.4", { login: revoked.login, password: "wrong" }), known);
    assert.deepEqual(await refusal("10.1.0.5", revoked), known);
    await server.login();
  });

  // Security, network: cannot try passwords without a growing lock-out, from any number of sources
  it("that fail lock their account out, each time for longer, from any source, also for unknown accounts", async () => {
    const logins = [server.demo.login, Wallet.createRandom().address];
    for (const [round, minutes] of [1, 2, 4].entries()) {
      const waits = logins.map(async (login, index) => {
        for (const response of await Promise.all([1, 2].map((n) => wrong(`10.2.${index}.${3 * round + n}`, login)))) {
          refused(response, ROUTES.auth, 401, "login_refused");
        }
        return secondsToWait(await wrong(`10.2.${index}.${3 * round + 3}`, login));
      });
      for (const seconds of await Promise.all(waits)) assert.equal(Math.ceil(seconds / 60), minutes);
      aside += minutes * MINUTE;
    }
  });

  it("with the right password are rejected during a lock-out; the first one afterwards clears it", async () => {
    const account = (await server.context.accounts?.create("full")) ?? assert.fail();
    const fail = (...hosts: number[]) => Promise.all(hosts.map((host) => wrong(`10.3.0.${host}`, account.login)));
    await fail(1, 2);
    aside += secondsToWait(await from("10.3.0.3", account)) * 1000;
    await fail(4, 5);
    const seconds = secondsToWait(await from("10.3.0.6", account));
    assert.isAbove(seconds, 60);
    aside += seconds * 1000;
    assert.equal((await from("10.3.0.6", account)).status, 200);
    await fail(7, 8);
    assert.isAtMost(secondsToWait(await wrong("10.3.0.9", account.login)), 60);
  });

  // Security, network: can lock an account out by failed logins, but not at addresses from which it logged in before
  it("from a known source of an account continue while others fail with its address", async () => {
    const account = (await server.context.accounts?.create("full")) ?? assert.fail();
    assert.equal((await from("10.4.0.1", account)).status, 200);
    await Promise.all([2, 3].map((host) => wrong(`10.4.0.${host}`, account.login)));
    secondsToWait(await from("10.4.0.4", account));
    assert.equal((await from("10.4.0.1", account)).status, 200);
    await Promise.all([1, 2].map(() => wrong("10.4.0.1", account.login)));
    secondsToWait(await from("10.4.0.1", account));
  });

  // Security, network: cannot use an own account to continue a password attack on others
  it("that fail lock their network address out; a login with another account does not clear it", async () => {
    const account = (await server.context.accounts?.create("full")) ?? assert.fail();
    const source = "10.5.0.1";
    const round = async (): Promise<number> => {
      await Promise.all([wrong(source), wrong(source)]);
      assert.equal((await from(source, account)).status, 200);
      refused(await wrong(source), ROUTES.auth, 401, "login_refused");
      return secondsToWait(await from(source, account));
    };
    const first = await round();
    assert.isAtMost(first, 60);
    assert.isTrue(server.log.some((line) => line.includes("logins are locked out") && line.includes(source)));
    assert.match(
      (await server.get("/metrics", { headers: { "X-Forwarded-For": "127.0.0.1" } })).text,
      /^sealbook_logins_total\{result="locked_out"\} [1-9]/m,
    );
    aside += MINUTE;
    const second = await round();
    assert.isAbove(second, 60);
    assert.equal((await from("10.5.0.2", account)).status, 200, "another network address is not concerned");
  });
});
