import { setTimeout as sleep } from "node:timers/promises";
import { assert } from "chai";
import { eventually } from "./eventually.ts";
import { freshDocuments, idOf, type ProofRequest } from "./exactly-once.ts";
import type { TestServer } from "./server.ts";

/** Pause of a client between two posts: several clients without a pause would use the whole processor. */
const REST_MILLISECONDS = 50;
/** Pause of a client after a refusal. */
const REST_AFTER_REFUSAL_MILLISECONDS = 250;

/** Maximum number of proofs that one look at the server fetches. */
const LOOKED_UP_AT_ONCE = 20;

/** Clients that post documents in sequence. */
export interface Load {
  readonly accepted: readonly ProofRequest[];
  /** Documents that were not accepted. */
  readonly refused: number;
  /** Waits until this many documents that are accepted from now on are confirmed, in their response or later. */
  confirms(count: number): Promise<void>;
  /** Stops the clients after their last response. */
  end(): Promise<void>;
}

/** Loads a server with single posts and bulk posts; every status must be one of `expected`. */
export function startLoad(server: Pick<TestServer, "get" | "post">, expected: readonly number[] = [201, 202]): Load {
  const accepted: ProofRequest[] = [];
  let refused = 0;
  let ended = false;
  const client = async (path: string, count: number): Promise<void> => {
    while (!ended) {
      const documents = freshDocuments(count);
      const { status, text } = await server.post(path, count === 1 ? documents[0] : { documents });
      assert.include(expected, status, text);
      if (status >= 400) refused += count;
      else accepted.push(...documents);
      await sleep(status >= 400 ? REST_AFTER_REFUSAL_MILLISECONDS : REST_MILLISECONDS);
    }
  };
  const clients = Promise.all([
    ...Array.from({ length: 4 }, () => client("/api/v1/proof", 1)),
    client("/api/v1/proof/batch", 5),
  ]);
  // The callers that wait for the load receive the error.
  clients.catch(() => undefined);
  return {
    accepted,
    get refused() {
      return refused;
    },
    async confirms(count) {
      const from = accepted.length;
      const confirmed = new Set<ProofRequest>();
      const enough = eventually(async () => {
        const pending = accepted.slice(from).filter((document) => !confirmed.has(document));
        for (const document of pending.slice(0, LOOKED_UP_AT_ONCE)) {
          if ((await server.get(`/api/v1/proof/${idOf(document)}`)).body.status === "confirmed")
            confirmed.add(document);
        }
        assert.isAtLeast(confirmed.size, count);
      });
      await Promise.race([clients, enough]);
    },
    async end() {
      ended = true;
      await clients;
    },
  };
}
