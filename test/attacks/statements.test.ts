import { request as send } from "node:http";
import { assert } from "chai";
import { anchored } from "../support/anchored.ts";
import { eventually } from "../support/eventually.ts";
import { freshDocuments } from "../support/exactly-once.ts";
import { startServer, type TestServer } from "../support/server.ts";

/** Statements that are made at a time, and those of a source that are made or wait. */
const AT_ONCE = 2;
const IN_FLIGHT = 16;

interface Reply {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly text: string;
}

describe("very many statements", () => {
  let server: TestServer;
  let documentId: string;
  before(async () => {
    server = await startServer();
    for (const document of freshDocuments(1)) {
      await anchored(server, "/api/v1/proof", document);
      documentId = document.document_id;
    }
  });
  after(() => server.stop());

  const attest = (localAddress: string): Promise<Reply> =>
    new Promise((resolve, reject) => {
      const url = new URL("/api/v1/recovery/attest", server.url);
      const headers = { "Content-Type": "application/json" };
      const sent = send(url, { method: "POST", headers, localAddress, agent: false }, (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
        const retryAfter = response.headers["retry-after"];
        response.on("end", () => resolve({ status: response.statusCode ?? 0, retryAfter, text }));
      });
      sent.on("error", reject).end(JSON.stringify({ document_id: documentId, audience: "court" }));
    });

  // Security, network: cannot occupy the server with statements: few are made at a time, and sources take turns
  // Security, network: cannot have more than a limited number of statements of a source waiting
  it("are made few at a time; of a source a limited number wait, and another source gets its turn", async () => {
    const { proofs } = server.context.journal;
    const { ofSubject } = proofs;
    let [begun, running, most] = [0, 0, 0];
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const held: typeof ofSubject = async function* (...parameters) {
      begun += 1;
      running += 1;
      most = Math.max(most, running);
      await released;
      try {
        yield* ofSubject(...parameters);
      } finally {
        running -= 1;
      }
    };
    Object.assign(proofs, { ofSubject: held });
    try {
      const first = Array.from({ length: AT_ONCE }, () => attest("127.0.0.2"));
      await eventually(async () => assert.equal(begun, AT_ONCE));
      const refused: Reply[] = [];
      const more = Array.from({ length: IN_FLIGHT - AT_ONCE + 3 }, async () => {
        const reply = await attest("127.0.0.2");
        if (reply.status !== 200) refused.push(reply);
        return reply;
      });
      await eventually(async () => assert.lengthOf(refused, 3));
      for (const { status, retryAfter, text } of refused) {
        assert.equal(status, 429);
        assert.match(text, /too many statements of this caller are in flight/);
        assert.match(retryAfter ?? "", /^\d+$/);
      }
      const other = attest("127.0.0.3");
      release();
      assert.equal((await other).status, 200);
      const statuses = (await Promise.all([...first, ...more])).map(({ status }) => status);
      assert.lengthOf(
        statuses.filter((status) => status === 200),
        IN_FLIGHT,
      );
      assert.isAtMost(most, AT_ONCE);
    } finally {
      release();
      Object.assign(proofs, { ofSubject });
    }
  });
});
