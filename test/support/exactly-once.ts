import { randomBytes } from "node:crypto";
import { assert } from "chai";
import { Interface } from "ethers";
import { verifyPath } from "../../server/journal/integrity/merkle.ts";
import { recordHash } from "../../server/journal/integrity/record-hash.ts";
import { eventually } from "./eventually.ts";
import { allTransactions, anchoredHash, rpcCall } from "./rpc.ts";
import type { TestServer } from "./server.ts";

const PROOF_ANCHOR = new Interface(["function verify(bytes32 leaf, bytes32[] path, bytes32 root) view returns (bool)"]);

const AT_ONCE = 200;

/** A proof request. */
export interface ProofRequest {
  readonly document_id: string;
  readonly hash: string;
  readonly metadata: { readonly type: string; readonly source: string; readonly timestamp: number };
}

export function freshDocuments(count: number): ProofRequest[] {
  return Array.from({ length: count }, () => ({
    document_id: `document ${randomBytes(8).toString("hex")}`,
    hash: randomBytes(32).toString("hex"),
    metadata: { type: "document", source: "tests", timestamp: 1_700_000_000 },
  }));
}

/** Computes the id of a proof, which the client can compute without a response. */
export function idOf({ document_id, hash, metadata }: ProofRequest): string {
  const parts = { documentId: document_id, hash: Buffer.from(hash, "hex"), ...metadata };
  return Buffer.from(recordHash(parts)).toString("hex");
}

/** Posted documents, by their responses at the client. */
export interface Posted {
  readonly accepted: readonly ProofRequest[];
  /** Requests without a response: each document may be recorded, or not. */
  readonly unacknowledged?: readonly ProofRequest[];
}

/**
 * Asserts the invariants after every fault: each accepted document has one proof, which is confirmed and verifies; a
 * document without a response has one as soon as it is posted again; no anchor is on chain twice; and there is no nonce
 * gap.
 * @param chainUrl The node itself, without any proxy
 */
export async function assertExactlyOnce(
  server: Pick<TestServer, "get" | "post">,
  chainUrl: string,
  { accepted, unacknowledged: unacknowledged = [] }: Posted,
): Promise<void> {
  const again = await inSlices(unacknowledged, (document) => server.post("/api/v1/proof", document));
  for (const { status, text } of again) assert.oneOf(status, [200, 201, 202], text);
  const relayer = await eventually(async () => {
    const { body } = await server.get("/api/v1/status");
    assert.deepInclude(body, { status: "ok" });
    assert.equal(body.journal.pending, 0, "proofs that are pending");
    assert.equal(body.relayer.in_flight, 0, "transactions in flight");
    return String(body.relayer.address).toLowerCase();
  });

  const transactions = await allTransactions(chainUrl);
  const documents = [...accepted, ...unacknowledged];
  const proofs = await inSlices(documents, (document) => assertProven(server, chainUrl, document));
  const leaves = new Set(proofs.map((proof) => `${anchoredHash(proof)} ${proof.merkle?.index}`));
  assert.lengthOf([...leaves], documents.length, "each has a place of its own");
  const contract = String(proofs[0]?.contract);
  for (const proof of proofs) {
    const carriers = transactions.filter(
      ({ to, input }) => isTo(contract, to) && anchored(input) === anchoredHash(proof),
    );
    assert.deepEqual(
      carriers.map(({ hash }) => hash),
      [proof.tx_hash],
      "its anchor is on chain once",
    );
  }
  // Including anchors that were not reported to any client.
  const anchors = transactions
    .filter(({ from, to }) => from.toLowerCase() === relayer && isTo(contract, to))
    .map(({ input }) => anchored(input));
  assert.lengthOf(anchors, new Set(anchors).size, "no anchor is on chain twice");

  const [latest, pending] = await Promise.all(
    ["latest", "pending"].map(async (tag) => Number(await rpcCall(chainUrl, "eth_getTransactionCount", relayer, tag))),
  );
  assert.equal(latest, pending, "no transaction waits for an open nonce");
  assert.lengthOf(
    transactions.filter(({ from }) => from.toLowerCase() === relayer),
    latest ?? -1,
  );
}

/** A server takes no thousands of connections from one address. */
async function inSlices<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let from = 0; from < items.length; from += AT_ONCE)
    results.push(...(await Promise.all(items.slice(from, from + AT_ONCE).map(work))));
  return results;
}

/** Asserts that a document's one proof is confirmed, and valid according to the server and to the chain. */
async function assertProven(server: Pick<TestServer, "get" | "post">, chainUrl: string, document: ProofRequest) {
  const [byId, byDocument] = await Promise.all([
    server.get(`/api/v1/proof/${idOf(document)}`),
    server.get(`/api/v1/proof/${encodeURIComponent(document.document_id)}`),
  ]);
  // On a busy machine the node can be late.
  const verified = await eventually(async () => {
    const response = await server.post("/api/v1/verify", { document_hash: document.hash });
    assert.notEqual(response.status, 503, response.text);
    return response;
  });
  assert.equal(byId.status, 200, byId.text);
  assert.equal(byId.body.status, "confirmed");
  assert.deepEqual(byDocument.body, byId.body, "there is one proof");
  const { proof } = byId.body;
  assert.deepEqual([proof.document_id, proof.hash], [document.document_id, document.hash]);
  assert.isTrue(verified.body.valid, verified.text);
  assert.equal(verified.body.proof.tx_hash, proof.tx_hash);

  const receipt = await rpcCall(chainUrl, "eth_getTransactionReceipt", proof.tx_hash);
  assert.equal(receipt.status, "0x1");
  assert.deepEqual([proof.block_hash, proof.block_number], [receipt.blockHash, Number(receipt.blockNumber)]);
  const path: string[] = proof.merkle?.path ?? [];
  if (proof.merkle !== undefined) {
    assert.isTrue(
      verifyPath(bytes(proof.record_hash), path.map(bytes), bytes(proof.merkle.root)),
      "the path leads to the root",
    );
  }
  const data = PROOF_ANCHOR.encodeFunctionData("verify", [`0x${proof.record_hash}`, path, `0x${anchoredHash(proof)}`]);
  const result = await rpcCall(chainUrl, "eth_call", { to: proof.contract, data }, "latest");
  assert.isTrue(PROOF_ANCHOR.decodeFunctionResult("verify", result)[0], "the contract verifies it");
  return proof;
}

function isTo(contract: string, to: string | null): boolean {
  return to?.toLowerCase() === contract.toLowerCase();
}

/** Returns the hash that a call anchors, in hex without prefix. */
function anchored(input: string): string {
  return input.slice(10, 74);
}

function bytes(hex: string): Buffer {
  return Buffer.from(hex.replace(/^0x/, ""), "hex");
}
