import { assert } from "chai";
import { freshDocuments, type Posted, type ProofRequest } from "./exactly-once.ts";
import type { TestServer } from "./server.ts";

/** Clients that post one document after the other. */
export interface Load extends Posted {
  readonly accepted: readonly ProofRequest[];
  readonly unanswered: readonly ProofRequest[];
  /** Documents that were answered as confirmed. */
  readonly confirmed: number;
  /** Answers that accepted nothing. */
  readonly refused: number;
  /** Lets each client have its last answer. */
  end(): Promise<void>;
}

/** Keeps a server busy with single posts and bulk posts; what it answers is one of `expected`. */
export function startLoad(server: Pick<TestServer, "post">, expected: readonly number[] = [201, 202]): Load {
  const accepted: ProofRequest[] = [];
  const unanswered: ProofRequest[] = [];
  let confirmed = 0;
  let refused = 0;
  let ended = false;
  const client = async (path: string, count: number): Promise<void> => {
    while (!ended) {
      const documents = freshDocuments(count);
      const answer = await server.post(path, count === 1 ? documents[0] : { documents }).catch((error: unknown) => {
        if (!(error instanceof TypeError)) throw error;
      });
      if (answer === undefined) {
        unanswered.push(...documents);
        return;
      }
      assert.include(expected, answer.status, answer.text);
      if (answer.status >= 400) refused += count;
      else accepted.push(...documents);
      if (answer.status === 201) confirmed += count;
    }
  };
  const clients = Promise.all([
    ...Array.from({ length: 4 }, () => client("/api/v1/proof", 1)),
    client("/api/v1/proof/batch", 5),
  ]);
  // Whoever ends the load is told.
  clients.catch(() => undefined);
  return {
    accepted,
    unanswered,
    get confirmed() {
      return confirmed;
    },
    get refused() {
      return refused;
    },
    async end() {
      ended = true;
      await clients;
    },
  };
}
