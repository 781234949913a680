import { setTimeout as sleep } from "node:timers/promises";
import { assert } from "chai";
import { eventually } from "./eventually.ts";
import { freshDocuments, type ProofRequest } from "./exactly-once.ts";
import type { TestServer } from "./server.ts";

/** A client rests between two posts: several of them without a rest would have the processor for themselves. */
const REST_MILLISECONDS = 50;
/** Whoever is refused comes back later. */
const REST_AFTER_REFUSAL_MILLISECONDS = 250;

/** Clients that post one document after the other. */
export interface Load {
  readonly accepted: readonly ProofRequest[];
  /** Documents that were not accepted. */
  readonly refused: number;
  /** Waits until so many more documents were answered as confirmed. */
  confirms(more: number): Promise<void>;
  /** Lets each client have its last answer. */
  end(): Promise<void>;
}

/** Keeps a server busy with single posts and bulk posts; what it answers is one of `expected`. */
export function startLoad(server: Pick<TestServer, "post">, expected: readonly number[] = [201, 202]): Load {
  const accepted: ProofRequest[] = [];
  let confirmed = 0;
  let refused = 0;
  let ended = false;
  const client = async (path: string, count: number): Promise<void> => {
    while (!ended) {
      const documents = freshDocuments(count);
      const { status, text } = await server.post(path, count === 1 ? documents[0] : { documents });
      assert.include(expected, status, text);
      if (status >= 400) refused += count;
      else accepted.push(...documents);
      if (status === 201) confirmed += count;
      await sleep(status >= 400 ? REST_AFTER_REFUSAL_MILLISECONDS : REST_MILLISECONDS);
    }
  };
  const clients = Promise.all([
    ...Array.from({ length: 4 }, () => client("/api/v1/proof", 1)),
    client("/api/v1/proof/batch", 5),
  ]);
  // Whoever waits for the load is told.
  clients.catch(() => undefined);
  return {
    accepted,
    get refused() {
      return refused;
    },
    async confirms(more) {
      const before = confirmed;
      await Promise.race([clients, eventually(async () => assert.isAtLeast(confirmed, before + more), 60_000)]);
    },
    async end() {
      ended = true;
      await clients;
    },
  };
}
