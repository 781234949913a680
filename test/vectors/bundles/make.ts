// Makes the vectors of this folder anew: node test/vectors/bundles/make.ts. They are kept because proofs are: a bundle
// of today has to be verified for ever, so a change of the code must not need other vectors.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { keyIdOf } from "../../../server/issuer/signing-key.ts";
import { signedBundle } from "../../../server/proofs/bundle.ts";
import type { Proof } from "../../../server/proofs/proof.ts";
import { type Sealing, testValidators } from "../../support/bft-chain.ts";
import { startEvidenceChain, type TestRecord } from "../../support/evidence-chain.ts";
import { VECTOR_KEY } from "./vectors.ts";

const DOCUMENT = "The quick brown fox jumps over the lazy dog.\n";
const validators = testValidators(4);

const record: TestRecord = {
  documentId: "contracts/fox.txt",
  document: DOCUMENT,
  metadata: { timestamp: 1_700_000_000 },
};
const typed: TestRecord = {
  ...record,
  metadata: {
    type: "contract",
    timestamp: 1_700_000_000,
    source: "orders",
    ключ: { weight: 12.5, tags: ["ü", null, true] },
  },
};
const others = (count: number): TestRecord[] =>
  Array.from({ length: count }, (_, index) => ({
    documentId: `other ${index}`,
    document: `${index}`,
    metadata: { timestamp: index },
  }));

const chain = await startEvidenceChain();
try {
  const [alone] = await chain.anchor([typed]);
  const [, , batched] = await chain.anchor([...others(2), record, ...others(5).slice(2)]);
  const [, [among] = [], ...rest] = await chain.anchorInOneBlock([
    [{ ...record, documentId: "before it" }],
    [{ ...record, documentId: "among others", metadata: { ...record.metadata, type: "manual" } }, ...others(1)],
    [{ ...record, documentId: "after it" }],
  ]);
  const [ofOne] = await chain.anchor([{ ...record, documentId: "batch of one" }], true);
  if (rest.length !== 1) throw new Error("not all are in the block");

  const write = async (name: string, proof: Proof | undefined, sealing?: Sealing): Promise<void> => {
    if (proof === undefined) throw new Error(`${name} has no proof`);
    const text = signedBundle(await chain.bundle(proof, sealing), VECTOR_KEY);
    writeFileSync(join(import.meta.dirname, `${name}.bundle.json`), `${text}\n`);
  };
  const sealing = (protocol: Sealing["protocol"], round: number, signers: number): Sealing => ({
    protocol,
    validators,
    round,
    signers: validators.keys.slice(0, signers),
  });
  await write("alone", alone);
  await write("batched", batched);
  await write("among-others", among);
  await write("batch-of-one", ofOne);
  await write("ibft2", alone, sealing("ibft2", 0, 3));
  await write("ibft2-batched-later-round", batched, sealing("ibft2", 2, 4));
  await write("qbft", alone, sealing("qbft", 0, 4));
  await write("qbft-among-others-later-round", among, sealing("qbft", 300, 3));
  writeFileSync(join(import.meta.dirname, "document.txt"), DOCUMENT);
  writeFileSync(join(import.meta.dirname, "validators.txt"), `${validators.addresses.join("\n")}\n`);
  writeFileSync(join(import.meta.dirname, "trusted-key.txt"), `${keyIdOf(VECTOR_KEY.publicKey)}\n`);
} finally {
  await chain.stop();
}
