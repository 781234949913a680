import { RLP } from "@ethereumjs/rlp";
import { expect } from "chai";
import { getBytes, hexlify, id, keccak256, Wallet } from "ethers";
import { merkleTree } from "../../server/journal/integrity/merkle.ts";
import type { Bundle } from "../../server/proofs/responses.ts";
import { recordHash } from "../../server/journal/integrity/record-hash.ts";
import { type Sealing, testValidators } from "../support/bft-chain.ts";
import { type EvidenceChain, startEvidenceChain, type TestRecord } from "../support/evidence-chain.ts";
import { forged } from "../support/forgery.ts";
import { type VerifyOptions, type Step, verifyBundle } from "../../verifier/verify.mjs";
import type { ParsedJson } from "../support/parsed-json.ts";

const DOCUMENT = "a document";
const record = (documentId: string, document = DOCUMENT): TestRecord => ({
  documentId,
  document,
  metadata: { type: "note", timestamp: 1_700_000_000 },
});

// The forger can sign bundles, but can neither change the chain nor commit a block.
describe("forged bundles", function () {
  let chain: EvidenceChain;
  let documentHash: string;
  const validators = testValidators(4);
  const sealing: Sealing = { protocol: "qbft", validators, round: 0, signers: validators.keys };
  /** Bundles of the same batch, and of others. */
  let first: Bundle;
  let second: Bundle;
  let alone: Bundle;
  let elsewhere: Bundle;

  before(async () => {
    chain = await startEvidenceChain();
    const bundles = async (records: readonly TestRecord[]): Promise<Bundle[]> =>
      Promise.all((await chain.anchor(records)).map((proof) => chain.bundle(proof, sealing)));
    const [a, b] = await bundles([
      record("first"),
      record("second"),
      record("third", "3"),
      record("fourth", "4"),
      record("fifth", "5"),
    ]);
    const [c] = await bundles([record("alone")]);
    const [d] = await bundles([
      record("elsewhere"),
      record("beside it"),
      record("third one"),
      record("fourth one"),
      record("fifth one"),
    ]);
    if (a === undefined || b === undefined || c === undefined || d === undefined)
      throw new Error("there are no bundles");
    [first, second, alone, elsewhere] = [a, b, c, d];
    documentHash = first.record.hash;
  });
  after(() => chain.stop());

  const check = async (
    bundle: Bundle,
    change: (bundle: ParsedJson) => void,
    options: VerifyOptions = { validators: validators.addresses },
  ) => verifyBundle(forged(JSON.stringify(bundle), change), documentHash, options);
  const failureOf = async (...args: Parameters<typeof check>): Promise<string> => {
    const { ok, steps } = await check(...args);
    const last: Step | undefined = steps.at(-1);
    if (ok || last === undefined || last.ok) return expect.fail("the bundle passed");
    return `${last.title}: ${last.reason}`;
  };

  it("pass while their content is true", async () => {
    for (const bundle of [first, second, alone, elsewhere]) {
      const { ok, level, steps } = await check(bundle, () => undefined);
      expect(ok, JSON.stringify(steps.at(-1))).to.equal(true);
      expect(level).to.equal("validators");
    }
  });

  it("are rejected with another key than the trusted one, and without a trusted key", async () => {
    const trustedKey = "A".repeat(43);
    expect(await failureOf(alone, () => undefined, { trustedKey })).to.match(
      /^Issuer's signature: the bundle is signed with the key [\w-]{43}, not with/,
    );
    expect(await failureOf(alone, () => undefined, {})).to.match(
      /^Trust: the bundle is consistent, but nothing in it is trusted yet/,
    );
  });

  it("are rejected for another document", async () => {
    const { ok, steps } = await verifyBundle(
      forged(JSON.stringify(alone), () => undefined),
      "00".repeat(32),
      {
        validators: validators.addresses,
      },
    );
    expect(ok).to.equal(false);
    expect(steps.at(-1)).to.include({ title: "Document", ok: false });
  });

  it("are rejected with other metadata, as far as it is recorded", async () => {
    const reason = /^Recorded hash: the recorded hash is not that of the document's id, timestamp, type and hash/;
    expect(await failureOf(first, ({ record }) => (record.metadata.timestamp -= 1))).to.match(reason);
    expect(await failureOf(first, ({ record }) => (record.metadata.type = "deed"))).to.match(reason);
    expect(await failureOf(first, ({ record }) => delete record.metadata.type)).to.match(reason);
    expect(await failureOf(first, ({ record }) => (record.document_id = "last"))).to.match(reason);
    // A recomputed record has another recorded hash, which is under no root.
    const recomputed = (bundle: ParsedJson): void => {
      const hash = Buffer.from(bundle.record.hash, "hex");
      const recorded = recordHash({ documentId: bundle.record.document_id, timestamp: 1, type: "note", hash });
      bundle.record.metadata.timestamp = 1;
      bundle.record.record_hash = hexlify(recorded).slice(2);
      if (bundle.merkle !== null) bundle.merkle.leaf = keccak256(keccak256(recorded));
    };
    expect(await failureOf(first, recomputed)).to.match(/^Batch: the audit path does not lead/);
    expect(await failureOf(alone, recomputed)).to.match(/^Transaction: the transaction does not anchor this hash/);
  });

  it("pass with changes that only the issuer's signature covers", async () => {
    const passes = async (change: (bundle: ParsedJson) => void): Promise<boolean> => (await check(first, change)).ok;
    expect(await passes(({ record }) => (record.metadata.source = "somebody else"))).to.equal(true);
    expect(await passes(({ merkle }) => (merkle.index = 3))).to.equal(true);
    // The same recorded text with another boundary.
    const moved = ({ record }: ParsedJson): void => {
      record.document_id = "first1";
      record.metadata.timestamp = 700_000_000;
    };
    expect(await passes(moved)).to.equal(true);
  });

  it("are rejected with the path of another tree or leaf index", async () => {
    const reason = /^Batch: the audit path does not lead from the recorded hash to the root/;
    expect(await failureOf(first, ({ merkle }) => (merkle.path = elsewhere.merkle?.path))).to.match(reason);
    expect(await failureOf(first, ({ merkle }) => (merkle.path = second.merkle?.path))).to.match(reason);
    expect(await failureOf(first, ({ merkle }) => merkle.path.reverse())).to.match(reason);
    expect(await failureOf(first, ({ merkle }) => (merkle.root = elsewhere.merkle?.root))).to.match(reason);
    // A tree that was never anchored.
    const own = (bundle: ParsedJson): void => {
      const recorded = Buffer.from(bundle.record.record_hash, "hex");
      const tree = merkleTree([recorded, recorded, recorded, recorded, recorded]);
      bundle.merkle.root = hexlify(tree.root);
      bundle.merkle.path = tree.path(0).map((node) => hexlify(node));
    };
    expect(await failureOf(first, own)).to.match(/^Transaction: the transaction does not anchor this hash/);
  });

  it("are rejected with an inner node as leaf, and with a root alone", async () => {
    // The parent of the first two leaves, used as a recorded hash.
    const { merkle } = first;
    if (merkle === null) throw new Error("it is no batch");
    const [sibling = "", ...rest] = merkle.path;
    const node = Buffer.concat([merkle.leaf, sibling].sort().map((hex) => getBytes(hex)));
    const inner = keccak256(node);
    const withInner = (bundle: ParsedJson): void => {
      bundle.merkle.path = rest;
      bundle.merkle.leaf = inner;
      bundle.merkle.size = 3;
    };
    expect(await failureOf(first, withInner)).to.match(/^Batch: the leaf is not that of the recorded hash/);
    const asRecorded = (bundle: ParsedJson): void => {
      withInner(bundle);
      bundle.record.record_hash = inner.slice(2);
    };
    expect(await failureOf(first, asRecorded)).to.match(/^Recorded hash:/);
    const rootAlone = (bundle: ParsedJson): void => {
      bundle.record.record_hash = merkle.root.slice(2);
      bundle.merkle = null;
    };
    expect(await failureOf(first, rootAlone)).to.match(/^Recorded hash:/);
    expect(await failureOf(first, (bundle) => (bundle.merkle = null))).to.match(
      /^Transaction: the transaction does not anchor this hash/,
    );
  });

  it("are rejected with another leaf index or batch size, as far as they are detectable", async () => {
    expect(await failureOf(first, ({ merkle }) => (merkle.index = 4))).to.match(
      /^Batch: the audit path does not have the length for its leaf index/,
    );
    expect(await failureOf(first, ({ merkle }) => (merkle.index = 5))).to.match(
      /^Batch: the leaf index is outside the batch/,
    );
    expect(await failureOf(first, ({ merkle }) => (merkle.size = 1001))).to.match(
      /^Batch: the leaf index is outside the batch/,
    );
    expect(await failureOf(first, ({ merkle }) => (merkle.size = 6))).to.match(
      /^Transaction: the transaction does not anchor this hash/,
    );
    expect(await failureOf(first, ({ merkle }) => merkle.path.pop())).to.match(
      /^Batch: the audit path does not have the length/,
    );
    expect(await failureOf(first, ({ merkle }) => merkle.path.push(merkle.root))).to.match(
      /^Batch: the audit path does not have the length/,
    );
  });

  it("are rejected for another chain", async () => {
    expect(await failureOf(first, ({ anchor }) => (anchor.chain_id = 1))).to.match(
      /^Transaction: the transaction is for chain 7327, not for chain 1/,
    );
    // The forger's own chain is valid, but its validators are not those of the list.
    const others = testValidators(4, "forger");
    const [proof] = await chain.anchor([record("on another chain")]);
    if (proof === undefined) throw new Error("there is no proof");
    const foreign = await chain.bundle(proof, { ...sealing, validators: others, signers: others.keys });
    expect(await failureOf(foreign, () => undefined)).to.match(
      /^Commit seals: the block's validators are not those of the given list/,
    );
    expect((await check(foreign, () => undefined, { validators: others.addresses })).ok).to.equal(true);
    // The expected validators in the header, with the forger's seals.
    const unsealed = await chain.bundle(proof, { ...sealing, signers: others.keys });
    expect(await failureOf(unsealed, () => undefined)).to.match(
      /^Commit seals: a commit seal is not by a validator of the given list/,
    );
    const mixed = await chain.bundle(proof, {
      ...sealing,
      signers: [...validators.keys.slice(0, 3), ...others.keys.slice(0, 1)],
    });
    expect(await failureOf(mixed, () => undefined)).to.match(
      /^Commit seals: a commit seal is not by a validator of the given list/,
    );
  });

  // Security, relayer: cannot create validators' seals
  // Security, node: a validator cannot create a block that others accept, nor a bundle
  it("are rejected with too few seals, and with a repeated one", async () => {
    const [proof] = await chain.anchor([record("sealed by few")]);
    if (proof === undefined) throw new Error("there is no proof");
    for (const protocol of ["ibft2", "qbft"] as const) {
      const [a, b, c] = validators.keys;
      if (a === undefined || b === undefined || c === undefined) throw new Error("there are four");
      const sealedBy = (...signers: (typeof a)[]) => chain.bundle(proof, { ...sealing, protocol, signers });
      expect((await check(await sealedBy(a, b, c), () => undefined)).ok).to.equal(true);
      expect(await failureOf(await sealedBy(a, b), () => undefined)).to.match(
        /: 2 of 4 validators signed the block, the quorum is 3/,
      );
      expect(await failureOf(await sealedBy(), () => undefined)).to.match(/: 0 of 4 validators signed the block/);
      expect(await failureOf(await sealedBy(a, b, b), () => undefined)).to.match(/: a validator has two commit seals/);
      expect(await failureOf(await sealedBy(a, b, c), () => undefined, { validators: [] })).to.match(
        /: the list of validators is empty/,
      );
      const five = [...validators.addresses, new Wallet(id("a fifth")).address];
      expect(await failureOf(await sealedBy(a, b, c), () => undefined, { validators: five })).to.match(
        /: the block's validators are not those/,
      );
    }
  });

  it("are rejected with another consensus protocol", async () => {
    expect(await failureOf(first, ({ consensus }) => (consensus.protocol = "ibft2"))).to.match(
      /^Block header: the header does not have the block's hash/,
    );
    const none = (bundle: ParsedJson): void => {
      bundle.consensus = { protocol: "none", validators: [] };
      bundle.block.hash = keccak256(bundle.block.header);
    };
    expect(await failureOf(first, none)).to.match(/^Commit seals: blocks of this chain have no commit seals/);
  });

  it("are rejected for another contract", async () => {
    const contract = `0x${"12".repeat(20)}`;
    expect(await failureOf(first, ({ anchor }) => (anchor.contract = contract))).to.match(
      /^Transaction: the transaction does not call the contract/,
    );
    // Events of another contract are ignored: the receipt of a transaction that called one.
    const swapped = (bundle: ParsedJson): void => {
      const [status, gas, bloom] = RLP.decode(getBytes(bundle.anchor.receipt.raw));
      const log = [contract, [id("Anchored(bytes32,uint32)"), bundle.merkle.root], `0x${"00".repeat(31)}05`];
      bundle.anchor.receipt.raw = hexlify(RLP.encode([status, gas, bloom, [log]]));
    };
    expect(await failureOf(first, swapped)).to.match(/^Receipt: the block has another receipt at this index/);
  });

  // Security, relayer: cannot create a valid bundle of data that is not on chain
  it("are rejected with evidence of another block or transaction", async () => {
    expect(await failureOf(first, (bundle) => (bundle.block = elsewhere.block))).to.match(
      /^Transaction: node 0 of the proof does not have the hash/,
    );
    expect(await failureOf(first, (bundle) => (bundle.anchor = elsewhere.anchor))).to.match(
      /^Transaction: node 0 of the proof/,
    );
    const both = (bundle: ParsedJson): void => {
      bundle.block = elsewhere.block;
      bundle.anchor = elsewhere.anchor;
    };
    expect(await failureOf(first, both)).to.match(/^Transaction: the transaction does not anchor this hash/);
    const other = (bundle: ParsedJson): void => {
      bundle.anchor.receipt = bundle.anchor.transaction;
    };
    expect(await failureOf(first, other)).to.match(/^Receipt: node 0 of the proof/);
    expect(await failureOf(first, ({ anchor }) => (anchor.index = 1))).to.match(
      /^Transaction: the proof is for another key/,
    );
    expect(await failureOf(first, ({ anchor }) => anchor.transaction.proof.push("0xc0"))).to.match(
      /^Transaction: the proof has unused nodes/,
    );
    expect(await failureOf(first, ({ anchor }) => (anchor.transaction.proof = []))).to.match(
      /^Transaction: the proof is incomplete/,
    );
  });

  it("are rejected with missing or additional members", async () => {
    expect(await failureOf(first, (bundle) => delete bundle.consensus)).to.match(/^Format: bundle lacks consensus/);
    expect(await failureOf(first, (bundle) => (bundle.note = "verified"))).to.match(
      /^Format: bundle has an unknown member "note"/,
    );
    expect(await failureOf(first, ({ record }) => (record.hash = record.hash.toUpperCase()))).to.match(
      /^Format: bundle.record.hash is not 64/,
    );
    expect(await failureOf(first, ({ merkle }) => (merkle.size = 5.5))).to.match(
      /^Format: bundle.merkle.size is not a whole number/,
    );
    expect(await failureOf(first, ({ anchor }) => (anchor.receipt.proof = "0x"))).to.match(
      /^Format: bundle.anchor.receipt.proof is not a list/,
    );
    expect(await failureOf(first, (bundle) => (bundle.format = "sealbook-bundle/2"))).to.match(
      /^Format: the format is not sealbook-bundle/,
    );
    expect(await failureOf(first, ({ record }) => (record.metadata = null))).to.match(
      /^Format: bundle.record.metadata is not an object/,
    );
  });

  it("are rejected when their text is not canonical", async () => {
    const text = forged(JSON.stringify(alone), () => undefined);
    const reasonOf = async (json: string): Promise<string> => {
      const { steps } = await verifyBundle(json, documentHash, { validators: validators.addresses });
      const last: Step | undefined = steps.at(-1);
      return last === undefined || last.ok ? "" : `${last.title}: ${last.reason}`;
    };
    const canonical = /^Format: the bundle is not canonical JSON/;
    expect(await reasonOf(JSON.stringify(JSON.parse(text), null, 2))).to.match(canonical);
    expect(await reasonOf(text.replace('"format":', '"format":"x","format":'))).to.match(canonical);
    expect(await reasonOf(text.replace('"note"', '"\\u006eote"'))).to.match(canonical);
    expect(await reasonOf(text.replace("1700000000", "1.7e9"))).to.match(canonical);
    expect(await reasonOf(`[${"[".repeat(1e5)}`)).to.match(/^Format: /);
    expect(await reasonOf("null")).to.match(/^Format: the format is not sealbook-bundle/);
    expect(await reasonOf("")).to.match(/^Format: the bundle is not JSON/);
  });

  describe("with a node", () => {
    const node = (results: Record<string, unknown>): VerifyOptions => ({
      node: async (method) => (method in results ? results[method] : Promise.reject(new Error("no such method"))),
    });

    // Security, relayer: cannot hide a false signed bundle from a query to any node
    it("pass when the node has the block, and fail when it does not", async () => {
      const block = { hash: first.block.hash };
      const verified = await check(
        first,
        () => undefined,
        node({ eth_chainId: "0x1c9f", eth_getBlockByNumber: block }),
      );
      expect(verified.ok).to.equal(true);
      expect(verified.level).to.equal("node");
      const failure = (results: Record<string, unknown>) => failureOf(first, () => undefined, node(results));
      expect(await failure({ eth_chainId: "0x1", eth_getBlockByNumber: block })).to.match(
        /^Node: the node is on chain 1, the bundle is for chain 7327/,
      );
      expect(await failure({ eth_chainId: "0x1c9f", eth_getBlockByNumber: null })).to.match(
        /^Node: the node does not have block/,
      );
      expect(await failure({ eth_chainId: "0x1c9f", eth_getBlockByNumber: { hash: `0x${"00".repeat(32)}` } })).to.match(
        /^Node: the node has the hash 0x0000/,
      );
      expect(await failure({ eth_chainId: "0x1c9f" })).to.match(/^Node: unreadable: no such method/);
    });
  });

  it("are not created from evidence of a hash in another form", async () => {
    const [proof] = await chain.anchor([record("alone first")]);
    if (proof === undefined) throw new Error("there is no proof");
    const merkle = { root: proof.recordHash, leaf: proof.recordHash, index: 0, path: [] };
    const error: unknown = await chain.bundle({ ...proof, merkle }).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).to.be.instanceOf(Error);
    // A repeated anchor emits no event: the evidence is that of the first anchor.
    const [again] = await chain.anchor([record("alone first")]);
    if (again === undefined) throw new Error("there is no proof");
    expect(await chain.bundle(again)).to.deep.equal(await chain.bundle(proof));
  });
});
