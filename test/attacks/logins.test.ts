import { assert } from "chai";
import { Wallet } from "ethers";
import { eventually } from "../support/eventually.ts";
import type { HttpResponse } from "../support/http.ts";
import { type Login, ROUTES, startServer, type TestServer } from "../support/server.ts";

const CONNECTIONS = 80;
const HOSTILE_SOURCES = 8;
/** A password check takes some 25 ms. */
const ROUNDS = 2 ** 13;

describe("80 connections with invented logins", () => {
  let server: TestServer;
  let isOver = false;
  const statuses: number[] = [];
  let clients: Promise<void>[];

  const from = (source: string, { login, password }: Login): Promise<HttpResponse> =>
    server.call(ROUTES.auth, { login, password }, undefined, { "X-Forwarded-For": source });

  /** Tries logins, one after the other, until the attack is over. */
  const tryLogins = async (source: string): Promise<void> => {
    const logins = Array.from({ length: 50 }, () => Wallet.createRandom().address);
    for (let n = 0; !isOver; n += 1) {
      const { status } = await from(source, { login: logins[n % logins.length] ?? "", password: "wrong" });
      statuses.push(status);
    }
  };

  before(async () => {
    server = await startServer(
      { TRUSTED_PROXIES: "127.0.0.1" },
      {
        overrides: { keystoreRounds: ROUNDS },
        settings: { sessions: { loginAttemptsPerSource: 1e6, loginAttemptsPerAddress: 1e6 } },
      },
    );
    clients = Array.from({ length: CONNECTIONS }, (_, n) => tryLogins(`10.66.0.${n % HOSTILE_SOURCES}`));
    await eventually(async () => assert.include(statuses, 401));
  });
  after(async () => {
    isOver = true;
    await Promise.all(clients);
    await server.stop();
  });

  // Security, network: cannot keep right logins out with many invented ones: addresses take turns, IPv6 by /64
  // Security, network: cannot have more than a limited number of logins of an address in flight
  it("keep no right login out, neither from a new source nor from a known one", async () => {
    for (let login = 0; login < 4; login += 1) {
      const response = await from("10.1.1.1", server.demo);
      assert.equal(response.status, 200, response.text);
    }
    for (let login = 0; login < 2; login += 1) {
      const response = await from(`2001:db8:0:${login}::1`, server.demo);
      assert.equal(response.status, 200, response.text);
    }
    assert.isFalse(isOver);
  });

  // Security, network: cannot find out from a full queue which accounts exist
  it("learn nothing from the refusals: they concern all logins of their sources alike", async () => {
    // More than the places of a source, so that some of each kind are refused.
    const codes = (logins: readonly string[]): Promise<Set<string>> =>
      Promise.all(
        logins.map((login) => from("10.66.1.1", { login, password: "wrong" }).then(({ body }) => body.content.error)),
      ).then((errors) => new Set(errors.map(({ code, message }) => `${code}: ${message}`)));
    const wrong = await codes(Array.from({ length: 40 }, () => server.demo.login));
    const unknown = await codes(Array.from({ length: 40 }, () => Wallet.createRandom().address));
    assert.deepEqual([...wrong].sort(), [...unknown].sort());
    assert.lengthOf([...wrong], 2);
  });
});
