import type { ProofAnchorClient } from "../../server/chain/contracts/proof-anchor-client.ts";
import type { Address, ContractAddresses } from "../../server/chain/transaction.ts";
import { createJournal, type Journal, NO_RELAYER } from "../../server/composition/journal.ts";
import { reasonOf } from "../../server/errors.ts";
import type { Database } from "../../server/journal/engine/database.ts";
import { confirmInBlocks } from "../../server/journal/entries/confirmations.ts";
import { giveContent, hashesUnder } from "../../server/journal/integrity/stored-anchor.ts";
import { equalBytes } from "../../server/kit/bytes.ts";
import { AnchorWriter } from "../../server/proofs/anchor-writer.ts";
import { isSameRecord, type NewProof } from "../../server/proofs/proof.ts";
import { Bundle } from "../../server/proofs/responses.ts";
import { verifyBundle, type VerifyOptions } from "../../verifier/verify.mjs";
import { readBundleText, type StagedBundle, StagedBundles } from "./staged-bundles.ts";
import { findAnchor } from "./restore.ts";

/** Queries about blocks that are kept: neighbouring bundles are often of one block. */
const KEPT_QUERIES = 256;

export interface ImportDeps {
  readonly database: Database;
  readonly contracts: ContractAddresses;
  readonly chain: Pick<ProofAnchorClient, "address" | "anchorCall" | "anchorOf" | "blockOf" | "anchors">;
  /** Makes a JSON-RPC call to the chain's node. */
  readonly query: NonNullable<VerifyOptions["node"]>;
  /** Called with each bundle that is not imported because it is invalid or contradicts journal or chain. */
  readonly onRefused: (file: string, reason: string) => void;
  /** Called after each file. */
  readonly onFile: () => void;
}

/** Counts of an import. */
export interface Imported {
  /** Bundles whose proof the journal had already, or another file. */
  readonly known: number;
  /** Proofs added under their anchor, with its confirmation. */
  readonly restored: number;
  /** Proofs of batches without all their bundles, which the server anchors again. */
  readonly anchoredAgain: number;
  readonly refused: number;
}

type Proposed = StagedBundle & { readonly proof: NewProof };

/** Adds the proofs of portable bundles to a journal that lacks them; a second import changes nothing. */
export async function importBundles(deps: ImportDeps, files: AsyncIterable<string>): Promise<Imported> {
  const staged = new StagedBundles();
  const counts = { known: 0, restored: 0, anchoredAgain: 0, refused: 0 };
  const refuse = (file: string, reason: string): void => {
    counts.refused += 1;
    deps.onRefused(file, reason);
  };
  try {
    const query = cached(deps.query);
    for await (const file of files) {
      try {
        const isNew = staged.add(await verified(file, deps.chain.address, query));
        if (!isNew) counts.known += 1;
      } catch (error) {
        refuse(file, reasonOf(error));
      }
      deps.onFile();
    }
    const journal = createJournal(deps.database, deps.contracts, NO_RELAYER);
    for (const bundles of staged.byAnchor()) {
      const { missing, known } = await missingIn(journal, bundles, refuse);
      counts.known += known;
      if (missing.length === 0) continue;
      const outcome = await add(deps, journal, missing);
      if (outcome.kind === "refused") for (const { file } of missing) refuse(file, outcome.reason);
      else counts[outcome.kind] += missing.length;
    }
    return counts;
  } finally {
    staged.close();
  }
}

/** @throws when the bundle is invalid, or the chain does not have its block */
async function verified(file: string, contract: Address, node: ImportDeps["query"]): Promise<StagedBundle> {
  const text = await readBundleText(file);
  const { record, merkle, anchor, block } = Bundle.parse(JSON.parse(text));
  if (contract.toLowerCase() !== anchor.contract)
    throw new Error(`its contract ${anchor.contract} is not that of the journal`);
  const result = await verifyBundle(text, record.hash, { contract, node });
  if (!result.ok) {
    const failed = result.steps.find((step) => !step.ok);
    throw new Error(failed === undefined || failed.ok ? "is invalid" : `${failed.title}: ${failed.reason}`);
  }
  return {
    file,
    anchor: merkle === null ? record.record_hash : merkle.root.slice(2),
    size: merkle?.size ?? 0,
    leaf: merkle?.index ?? 0,
    blockHash: block.hash,
    record,
  };
}

/** Returns the bundles of an anchor whose proofs the journal lacks, each record once. */
async function missingIn(
  { proofs, anchors }: Journal,
  bundles: readonly StagedBundle[],
  refuse: (file: string, reason: string) => void,
): Promise<{ missing: Proposed[]; known: number }> {
  const hashes = bundles.map(({ record }) => Buffer.from(record.record_hash, "hex"));
  const stored = await proofs.byRecordHashes(hashes);
  const isAnchored = bundles[0] && (await anchors.byHash(Buffer.from(bundles[0].anchor, "hex"))) !== undefined;
  const missing: Proposed[] = [];
  let known = 0;
  for (const bundle of bundles) {
    const proof = proofOf(bundle);
    const same = stored.find((each) => isSameRecord(each, proof));
    if (same !== undefined) {
      const { outcome, content } = same;
      const isElsewhere =
        outcome.state === "confirmed" &&
        equalBytes(content?.hash, Buffer.from(bundle.anchor, "hex")) &&
        !equalBytes(outcome.block.hash, Buffer.from(bundle.blockHash.slice(2), "hex"));
      if (isElsewhere) refuse(bundle.file, "the journal has the confirmation of this anchor in another block");
      else known += 1;
    } else if (isAnchored === true) {
      refuse(bundle.file, "the journal has the anchor of this proof, but not the proof: run journal check");
    } else if (missing.some((each) => isSameRecord(each.proof, proof))) known += 1;
    else missing.push({ ...bundle, proof });
  }
  return { missing, known };
}

type Outcome = { readonly kind: "restored" | "anchoredAgain" } | { readonly kind: "refused"; readonly reason: string };

/** Adds the missing proofs of one anchor: in their place when all of its leaves are there. */
async function add(deps: ImportDeps, journal: Journal, missing: readonly Proposed[]): Promise<Outcome> {
  const [first] = missing;
  if (first === undefined) throw new RangeError("there is nothing to add");
  const content = { hash: Buffer.from(first.anchor, "hex"), size: first.size };
  const mined = await findAnchor(deps.chain, content);
  if (mined === undefined) return { kind: "refused", reason: "the chain does not have the anchor" };
  if (!equalBytes(mined.block.hash, Buffer.from(first.blockHash.slice(2), "hex")))
    return { kind: "refused", reason: "the chain has the anchor in another block" };
  const leaves = [...new Map(missing.map(({ leaf, proof }) => [leaf, proof.recordHash])).values()];
  const isComplete = leaves.length === hashesUnder(content) && giveContent(leaves, content);
  const dated = missing.map((each) => ({ ...each, proof: { ...each.proof, acceptedAt: mined.block.time * 1000 } }));
  if (!isComplete) {
    const writer = new AnchorWriter(journal, deps.chain, Date.now);
    await writer.write({ open: undefined, singles: [], bulks: [dated.map(({ proof }) => proof)], isDue: () => true });
    return { kind: "anchoredAgain" };
  }
  await deps.database.transaction().execute(async (transaction) => {
    const { anchors, proofs } = createJournal(transaction, deps.contracts, NO_RELAYER);
    const anchorId = await anchors.open(mined.block.time * 1000);
    await proofs.insert(dated.map(({ proof, leaf }) => ({ ...proof, anchorId, leafIndex: leaf })));
    const { id: transactionId } = await transaction
      .insertInto("transactions")
      .values({
        purpose: "anchor",
        to_address: mined.contract,
        state: "confirmed",
        hash: mined.transactionHash,
        block_number: mined.block.number,
        block_hash: mined.block.hash,
        block_time: mined.block.time,
        validator: mined.block.validator,
        created_at: mined.block.time * 1000,
        outcome_at: mined.block.time * 1000,
      })
      .returning("id")
      .executeTakeFirstOrThrow();
    await anchors.close(anchorId, { ...content, transactionId });
    await confirmInBlocks(transaction, new Map([[transactionId, mined.block]]));
  });
  return { kind: "restored" };
}

function proofOf({ record }: StagedBundle): NewProof {
  const { type, source, ...metadata } = record.metadata;
  return {
    documentId: record.document_id,
    hash: Buffer.from(record.hash, "hex"),
    recordHash: Buffer.from(record.record_hash, "hex"),
    metadata: { ...metadata, ...(type === undefined ? {} : { type }), ...(source === undefined ? {} : { source }) },
    acceptedAt: 0,
  };
}

/** Keeps the responses to the newest queries. */
function cached(query: ImportDeps["query"]): ImportDeps["query"] {
  const kept = new Map<string, Promise<unknown>>();
  return (method, parameters) => {
    const key = JSON.stringify([method, parameters]);
    const known = kept.get(key);
    if (known !== undefined) return known;
    const response = query(method, parameters);
    response.catch(() => kept.delete(key));
    kept.set(key, response);
    for (const oldest of kept.keys()) {
      if (kept.size <= KEPT_QUERIES) break;
      kept.delete(oldest);
    }
    return response;
  };
}
