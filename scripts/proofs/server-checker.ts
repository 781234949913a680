import { ClientError, type ConfirmedProof, type ProofClient, type Verification } from "../../client/index.ts";
import { errorText, isUnreachable } from "./server-client.ts";
import { UnreachableError, untilLost, type ProofChecker } from "./checker.ts";

/** Checks proofs with the server, which must be trusted. */
export interface ServerChecker extends ProofChecker {
  /** Returns whether the server has a proof of a document's hash. */
  verify(hash: string): Promise<Verification>;
}

const FIELDS = [
  "document_id",
  "hash",
  "record_hash",
  "chain_id",
  "contract",
  "tx_hash",
  "block_number",
  "block_hash",
  "timestamp",
] as const;

export function serverChecker(client: ProofClient): ServerChecker {
  const request = untilLost(<T>(query: () => Promise<T>) => queryServer(query));
  return {
    name: "server",
    verify: (hash) => request(() => client.verify(hash)),
    contradiction: async (proof) => {
      const [verification, known] = await Promise.all([
        request(() => client.verify(proof.hash)),
        request(() => client.find(proof.record_hash)),
      ]);
      if (!verification.valid) return `message of the server: ${verification.message}`;
      if (known === undefined || known.status === "pending") return "the server has no such proof";
      return difference(proof, known.proof);
    },
  };
}

function difference(proof: ConfirmedProof["proof"], known: ConfirmedProof["proof"]): string | undefined {
  const field = FIELDS.find((name) => proof[name] !== known[name]);
  return field && `the server's proof has ${field} ${known[field]}, not ${proof[field]}`;
}

async function queryServer<T>(query: () => Promise<T>): Promise<T> {
  try {
    return await query();
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    const why = isUnreachable(error) ? `does not respond: ${error.message}` : errorText(error);
    throw new UnreachableError(`not checked: the server ${why}`, { cause: error });
  }
}
