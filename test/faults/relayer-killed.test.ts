import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { assert } from "chai";
import { keccak256 } from "ethers";
import { eventually } from "../support/eventually.ts";
import { assertExactlyOnce, freshDocuments, idOf, type ProofRequest } from "../support/exactly-once.ts";
import { hang, only, RECEIPTS, SEND } from "../support/faulty-proxy.ts";
import { type Answer, post } from "../support/http.ts";
import { type Stage, stageOf } from "../support/journal-file.ts";
import { type ServerProcess, startProcess } from "../support/process.ts";
import { startRawNode } from "../support/raw-anvil.ts";
import { type RemoteChain, startRemoteChain } from "../support/remote-chain.ts";
import { rpcCall } from "../support/rpc.ts";
import { startTcpProxy, type TcpProxy } from "../support/tcp-proxy.ts";

const KINDS = [
  { name: "a single post", path: "/api/v1/proof", count: 1, bodyOf: ([only]: readonly ProofRequest[]): unknown => only },
  { name: "a bulk post", path: "/api/v1/proof/batch", count: 5, bodyOf: (documents: readonly ProofRequest[]): unknown => ({ documents }) },
] as const;

describe("the relayer, killed with kill -9", function () {
  let chain: RemoteChain;
  let server: ServerProcess;
  /** Between a client and the server. */
  let line: TcpProxy | undefined;
  /** Everything of all tests: a later kill must not undo what an earlier one left. */
  const accepted: ProofRequest[] = [];

  const start = async (): Promise<void> => {
    // An open batch stays open while another is under way.
    server = await startProcess(chain.directory, { ...chain.variables, BATCH_MAX_AGE: "60" });
  };
  const node = (method: string, ...params: unknown[]) => rpcCall(chain.url, method, ...params);
  /** Posts without waiting; an answer would mean that the kill came too late. */
  const send = (path: string, body: unknown, url = server.url): Promise<Answer | "lost"> =>
    post(`${url}${path}`, body).catch((error: unknown) => {
      if (error instanceof TypeError) return "lost";
      throw error;
    });
  const until = (stage: Stage, documents: readonly ProofRequest[]): Promise<void> =>
    eventually(async () => {
      for (const document of documents) assert.equal(stageOf(chain.directory, document), stage);
    });
  const kill = async (answer: Promise<Answer | "lost">): Promise<void> => {
    assert.equal((await server.end("SIGKILL")).signal, "SIGKILL");
    assert.equal(await answer, "lost", "nobody was answered");
  };
  const restart = async (): Promise<void> => {
    chain.proxy.mode = "pass";
    await start();
  };
  const settled = (documents: readonly ProofRequest[]): Promise<void> => {
    accepted.push(...documents);
    return assertExactlyOnce(server, chain.url, { accepted });
  };

  before(async () => {
    chain = await startRemoteChain(startRawNode);
    await start();
  });
  afterEach(async () => {
    await line?.close();
    line = undefined;
  });
  after(async () => {
    await server.end("SIGKILL");
    await chain.close();
  });

  it("with proofs in an open batch: confirms them", async () => {
    chain.proxy.intercept = only([SEND], hang);
    const [first, ...others] = freshDocuments(4);
    assert.isDefined(first);
    const ahead = send("/api/v1/proof", first);
    await until("signed", [first]);
    const answers = others.map((document) => send("/api/v1/proof", document));
    await until("accepted", others);
    await kill(ahead);
    assert.deepEqual(await Promise.all(answers), ["lost", "lost", "lost"]);
    await restart();
    await settled([first, ...others]);
  });

  for (const { name, path, count, bodyOf } of KINDS) {
    describe(`after ${name}`, () => {
      let documents: ProofRequest[];
      beforeEach(() => {
        documents = freshDocuments(count);
      });
      const submit = () => send(path, bodyOf(documents));

      it("that is not on disk: takes it when it is posted again", async () => {
        const busy = new DatabaseSync(join(chain.directory, "sealbook.sqlite"));
        busy.exec("begin immediate");
        const answer = submit();
        // Long enough to have come in; it waits for the disk then.
        await new Promise((resolve) => setTimeout(resolve, 200));
        await kill(answer);
        busy.close();
        for (const document of documents) assert.equal(stageOf(chain.directory, document), "absent");
        await restart();
        await assertExactlyOnce(server, chain.url, { accepted, unanswered: documents });
        accepted.push(...documents);
      });

      it("that is batched and not signed: signs and confirms it", async () => {
        await server.end("SIGKILL");
        chain.proxy.mode = "off";
        await start();
        const answer = submit();
        await until("batched", documents);
        await kill(answer);
        await restart();
        await settled(documents);
      });

      it("that is signed and never got to the node: sends the same bytes", async () => {
        chain.proxy.intercept = only([SEND], hang);
        const from = chain.proxy.attempted.length;
        const answer = submit();
        await until("signed", documents);
        await eventually(async () => assert.isAbove(chain.proxy.attempted.length, from));
        await kill(answer);
        await restart();
        await settled(documents);
        assert.lengthOf(new Set(chain.proxy.attempted.slice(from)), 1, "it was signed once");
      });

      it("that waits in the node's pool: lets it be mined once", async () => {
        await node("evm_setAutomine", false);
        const from = chain.proxy.attempted.length;
        const answer = submit();
        await eventually(async () => assert.equal((await node("txpool_status")).pending, "0x1"));
        assert.equal(stageOf(chain.directory, documents[0] ?? assert.fail()), "signed");
        await kill(answer);
        await restart();
        await eventually(async () => assert.isAbove(chain.proxy.attempted.length, from + 1, "it sends it again"));
        await node("evm_setAutomine", true);
        await node("evm_mine");
        await settled(documents);
        assert.lengthOf(new Set(chain.proxy.attempted.slice(from)), 1, "it was signed once");
      });

      it("that is mined, without having read the receipt: finds it on the chain", async () => {
        chain.proxy.intercept = only(RECEIPTS, hang);
        const from = chain.proxy.attempted.length;
        const delivered = chain.proxy.delivered.length;
        const answer = submit();
        await eventually(async () => {
          const raw = chain.proxy.delivered[delivered] ?? assert.fail("not sent yet");
          assert.isNotNull(await node("eth_getTransactionReceipt", keccak256(raw)));
        });
        await kill(answer);
        await until("signed", documents);
        await restart();
        await settled(documents);
        assert.lengthOf(chain.proxy.attempted.slice(from), 1, "it was sent once");
      });

      it("that is journalled, before the client has the answer: answers it by its id, and to the same post", async () => {
        line = await startTcpProxy(Number(new URL(server.url).port));
        line.deaf = true;
        const answer = send(path, bodyOf(documents), `http://127.0.0.1:${line.port}`);
        await until("journalled", documents);
        await kill(answer);
        await restart();
        await settled(documents);
        const again = await server.post(path, bodyOf(documents));
        assert.equal(again.status, 200);
        const proofs: Answer["body"][] = again.body.proofs ?? [again.body];
        for (const [index, document] of documents.entries()) {
          assert.deepEqual(proofs[index], { ...(await server.get(`/api/v1/proof/${idOf(document)}`)).body });
        }
      });
    });
  }
});
