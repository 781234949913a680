import { assert } from "chai";
import { refused } from "../support/envelope.ts";
import { eventually } from "../support/eventually.ts";
import { assertExactlyOnce, freshDocuments, type ProofRequest } from "../support/exactly-once.ts";
import { delay, type Fate, hang, type Intercept, only, RECEIPTS, SEND } from "../support/faulty-proxy.ts";
import { onScene } from "../support/faults.ts";
import { inParallel } from "../support/parallel.ts";
import { startRemoteChain } from "../support/remote-chain.ts";
import { ROUTES, startServer, type TestServer } from "../support/server.ts";

/** What the relayer has to know before it signs anything. */
const NONCES: readonly string[] = ["eth_getTransactionCount", "eth_blockNumber"];

/** Posts one document alone and the others together, which are taken although the chain does not confirm them. */
async function post(server: Pick<TestServer, "post">, documents: readonly ProofRequest[]): Promise<void> {
  const [single, ...others] = documents;
  const responses = await Promise.all([
    server.post("/api/v1/proof", single),
    server.post("/api/v1/proof/batch", { documents: others }),
  ]);
  for (const { status, text } of responses) assert.equal(status, 202, text);
}

/** Fails these methods, and collects the ones that failed. */
function fails(fate: Fate, methods: readonly string[], failed: Set<string>): Intercept {
  return only(methods, ({ method }) => {
    failed.add(method);
    return fate;
  });
}

/** A node with wrong responses from before the first transaction on. */
const failingAtStart = (fate: Fate) => (): Promise<void> => {
  const failed = new Set<string>();
  return onScene(
    async ({ chain, server }) => {
      const documents = freshDocuments(3);
      await post(server, documents);
      await eventually(async () => assert.includeMembers([...failed], [...NONCES]));
      chain.proxy.mode = "pass";
      await assertExactlyOnce(server, chain.url, { accepted: documents });
    },
    { prepare: ({ proxy }) => void (proxy.intercept = fails(fate, NONCES, failed)) },
  );
};

/** A node with wrong responses of each kind, and correct ones in between. It has its nonces at the first one. */
const failingInTurn = (fates: readonly Fate[]) => (): Promise<void> =>
  onScene(async ({ chain, server }) => {
    const accepted = freshDocuments(3);
    for (const document of accepted) await server.post("/api/v1/proof", document);
    for (const fate of fates) {
      const failed = new Set<string>();
      chain.proxy.intercept = fails(fate, [...NONCES, SEND, ...RECEIPTS], failed);
      const more = freshDocuments(3);
      await post(server, more);
      await eventually(async () => assert.include([...failed], SEND, JSON.stringify(fate)));
      chain.proxy.mode = "pass";
      accepted.push(...more);
      await assertExactlyOnce(server, chain.url, { accepted });
    }
  });

describe("a failing node: every hash accepted meanwhile is anchored once when it", () => {
  inParallel({
    "accepts calls and never responds": () =>
      onScene(async ({ chain, server }) => {
        const documents = freshDocuments(3);
        chain.proxy.intercept = hang;
        await post(server, documents);
        // Earlier calls stay without a response; later ones get one.
        chain.proxy.mode = "pass";
        await assertExactlyOnce(server, chain.url, { accepted: documents });
      }),
    "responds later than the maximum wait of a proof": () =>
      onScene(async ({ chain, server }) => {
        const documents = freshDocuments(3);
        chain.proxy.intercept = () => delay(1_500);
        await post(server, documents);
        await assertExactlyOnce(server, chain.url, { accepted: documents });
      }),
    "responds with HTTP 500 and no body from the start": failingAtStart({ status: 500, body: "" }),
    "responds with null from the start": failingAtStart({ result: null }),
    "responds with errors and rubbish of any kind": failingInTurn([
      { status: 500, body: "" },
      { error: { code: -32603, message: "Internal error" } },
      { status: 200, body: "rubbish" },
      { status: 200, body: '{"jsonrpc":"2.0","id":1,"resu' },
      { result: null },
      { result: "rubbish" },
      { result: "0x" },
    ]),
  });
});

describe("a node that never responds", () => {
  it("does not keep a wrong password from being refused", async () => {
    const chain = await startRemoteChain();
    const server = await startServer(chain.variables, { directory: chain.directory });
    try {
      const account = (await server.context.accounts?.create("full")) ?? assert.fail("there is no administration");
      chain.proxy.intercept = hang;
      for (const wrong of [
        { ...account, password: "wrong" },
        { ...account, login: "0x0000000000000000000000000000000000000001" },
      ])
        refused(await server.call(ROUTES.auth, wrong), ROUTES.auth, 401, "login_refused");
    } finally {
      chain.proxy.mode = "pass";
      await server.stop();
      await chain.close();
    }
  });
});
