import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { assert } from "chai";
import { KnownLeader } from "../../../../server/http/forwarding/known-leader.ts";
import { askLeader, provenAnswer } from "../../../../server/http/forwarding/proven-answer.ts";
import type { Peers } from "../../../../server/http/forwarding/relayer-call.ts";
import { JournalKey } from "../../../../server/journal/integrity/journal-key.ts";
import { makeAuthority } from "../../../support/certificates.ts";
import { removeDirectory, temporaryDirectory } from "../../../support/directory.ts";
import { eventually } from "../../../support/eventually.ts";
import { KEY } from "../../../support/journal-key.ts";
import { thrownBy } from "../../../support/thrown.ts";

const OWN = KEY.callKey();

describe("a question to the relayer that leads", () => {
  const opened: Server[] = [];
  afterEach(() => opened.splice(0).forEach((server) => void server.close().closeAllConnections()));

  const listen = async (server: Server, protocol: string): Promise<Peers> => {
    opened.push(server);
    await once(server.listen(0, "127.0.0.1"), "listening");
    const address = new URL(`${protocol}://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const leader = new KnownLeader(async () => ({ holder: "first", epoch: 1 }));
    return { self: "second", addresses: new Map([["first", address]]), key: OWN, leader };
  };
  const ask = (peers: Peers): Promise<unknown> => askLeader(peers, "/", "content", AbortSignal.timeout(10_000));
  /** Responds to each question. */
  const answering = (answerOf: (number: string) => object): Promise<Peers> => {
    const respond: RequestListener = (request, response) => {
      let text = "";
      request.setEncoding("utf8").on("data", (part: string) => (text += part));
      request.on("end", () => response.end(JSON.stringify(answerOf(JSON.parse(text).number))));
    };
    return listen(createServer(respond), "http");
  };

  it("gets the answer of a relayer of the journal", async () => {
    assert.equal(await ask(await answering((number) => provenAnswer(OWN, number, "yes"))), "yes");
  });

  it("takes none of a listener that is no relayer, nor one to another question", async () => {
    const others: readonly ((number: string) => object)[] = [
      (number) => provenAnswer(JournalKey.generate().callKey(), number, "yes"),
      () => provenAnswer(OWN, "another question", "yes"),
      (number) => ({ ...provenAnswer(OWN, number, "no"), content: "yes" }),
      () => ({ content: "yes", code: "" }),
    ];
    for (const answerOf of others)
      assert.propertyVal(await thrownBy(ask(await answering(answerOf))), "code", "outcome_unknown");
  });

  it("is not sent to a listener whose certificate nobody vouches for", async () => {
    const directory = await temporaryDirectory();
    try {
      const { certificate: cert, key } = await (await makeAuthority(directory)).issue("127.0.0.1");
      let requests = 0;
      const server = createTlsServer({ cert, key }, (_request, response) => {
        requests += 1;
        response.end();
      });
      assert.propertyVal(await thrownBy(ask(await listen(server, "https"))), "code", "not_leader");
      assert.equal(requests, 0);
    } finally {
      await removeDirectory(directory);
    }
  });

  it("ends when another relayer leads, though the one that was asked does not respond", async () => {
    let isAsked = false;
    let row = { holder: "first", epoch: 1 };
    const peers = {
      ...(await listen(
        createServer(() => (isAsked = true)),
        "http",
      )),
      leader: new KnownLeader(async () => row),
    };
    const asked = thrownBy(ask(peers));
    await eventually(async () => assert.isTrue(isAsked));
    row = { holder: "second", epoch: 2 };
    await peers.leader.ask();
    assert.propertyVal(await asked, "code", "outcome_unknown");
  });

  it("is not ended by a response of the database that comes late", async () => {
    const rows = [
      Promise.withResolvers<{ holder: string; epoch: number }>(),
      Promise.withResolvers<{ holder: string; epoch: number }>(),
    ];
    let reads = 0;
    const leader = new KnownLeader(async () => rows[reads++]?.promise);
    const [early, late] = [leader.ask(), leader.ask()];
    rows[1]?.resolve({ holder: "second", epoch: 2 });
    const newest = await late;
    rows[0]?.resolve({ holder: "first", epoch: 1 });
    assert.equal((await early)?.holder, "second");
    assert.isFalse(newest?.over.aborted);
  });
});
