// Makes the bundles of ./invalid and the list of cases anew, from the bundles of this folder:
// node test/vectors/bundles/make-invalid.ts. Each has one fault, and the issuer's signature is made after it, except
// where the signature is what is wrong: the issuer itself can be the forger.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { RLP } from "@ethereumjs/rlp";
import { hexlify } from "ethers";
import { signedBundle } from "../../../server/proofs/bundle.ts";
import { contentOf, withOtherForm } from "../../support/forgery.ts";
import type { ParsedJson } from "../../support/parsed-json.ts";
import { type Code, CODES } from "../../../verifier/verify.mjs";
import { BUNDLE_VECTORS, type BundleCase, TRUSTED_KEY, VECTOR_KEY } from "./vectors.ts";

const FOLDER = join(import.meta.dirname, "invalid");
const base = BUNDLE_VECTORS.find(({ name }) => name === "ibft2-batched-later-round")?.text ?? "";
const plain = base.trim();
const EXTRA_DATA = 12;

function signed(change: (bundle: ParsedJson) => void): string {
  const { signature: _, ...bundle } = contentOf(plain);
  change(bundle);
  return signedBundle(bundle, VECTOR_KEY);
}

/** Changes the commit seals in the header, which the block's hash does not cover. */
function sealed(change: (seals: Uint8Array[]) => Uint8Array[]): string {
  return signed(({ block }) => {
    const fields: ParsedJson = RLP.decode(block.header);
    const [vanity, validators, vote, round, seals]: ParsedJson = RLP.decode(fields[EXTRA_DATA]);
    fields[EXTRA_DATA] = RLP.encode([vanity, validators, vote, round, change(seals)]);
    block.header = hexlify(RLP.encode(fields));
  });
}

function flipped(bytes: Uint8Array): Uint8Array {
  return Uint8Array.from(bytes, (byte, index) => (index === 40 ? byte ^ 1 : byte));
}

/** The bundles, by their code and the name of their fault. */
const INVALID: Readonly<Partial<Record<Code, Readonly<Record<string, string>>>>> = {
  format_invalid: {
    "not-json": plain.slice(0, -1),
    "with-spaces": plain.replace(",", ", "),
    "unknown-member": signed((bundle) => (bundle.extra = 1)),
    "upper-case-contract": signed(({ anchor }) => (anchor.contract = `0x${anchor.contract.slice(2).toUpperCase()}`)),
    "negative-index": signed(({ merkle }) => (merkle.index = -1)),
  },
  signature_invalid: {
    "changed-after-signing": plain.replace("fox", "dog"),
    "other-form-of-signature": withOtherForm(plain),
  },
  document_differs: { "other-document": signed(({ record }) => (record.hash = "11".repeat(32))) },
  record_invalid: {
    "other-document-id": signed(({ record }) => (record.document_id += "1")),
    "other-timestamp": signed(({ record }) => (record.metadata.timestamp -= 1)),
  },
  batch_invalid: {
    "other-leaf": signed(({ merkle }) => (merkle.leaf = merkle.root)),
    "other-order-of-the-path": signed(({ merkle }) => merkle.path.reverse()),
    "path-of-another-length": signed(({ merkle }) => (merkle.size = 1000)),
    "index-outside-the-batch": signed(({ merkle }) => (merkle.index = merkle.size)),
  },
  header_invalid: {
    "other-block-hash": signed(({ block }) => (block.hash = `0x${"11".repeat(32)}`)),
    "other-order-of-validators": signed(({ consensus }) => consensus.validators.reverse()),
    "other-protocol": signed(({ consensus }) => (consensus.protocol = "qbft")),
  },
  transaction_invalid: {
    "other-transaction": signed(({ anchor }) => (anchor.transaction.raw = anchor.receipt.raw)),
    "other-chain": signed(({ anchor }) => (anchor.chain_id += 1)),
    "other-contract": signed(({ anchor }) => (anchor.contract = `0x${"11".repeat(20)}`)),
    "transaction-without-its-node": signed(({ anchor }) => anchor.transaction.proof.pop()),
  },
  receipt_invalid: {
    "other-receipt": signed(({ anchor }) => (anchor.receipt.raw = anchor.transaction.raw)),
    "receipt-with-an-unused-node": signed(({ anchor }) => anchor.receipt.proof.push(anchor.receipt.proof[0])),
  },
  seals_invalid: {
    "changed-seal": sealed(([first = new Uint8Array(), ...others]) => [flipped(first), ...others]),
    "repeated-seal": sealed(([first = new Uint8Array(), , ...others]) => [first, first, ...others]),
  },
  seals_too_few: { "two-of-four-seals": sealed((seals) => seals.slice(0, 2)) },
};

const ALL = { trust_key: TRUSTED_KEY, validators: "validators.txt" };
const caseOf = (name: string, bundle: string, given: Partial<BundleCase>, code: Code | null): BundleCase => ({
  name,
  bundle,
  document: "document.txt",
  ...given,
  outcome: code === null ? "verified" : CODES[code],
  code,
});

const own = BUNDLE_VECTORS.flatMap(({ name, isSealed }) => {
  const bundle = `${name}.bundle.json`;
  return [
    caseOf(`${name}, by the issuer's key`, bundle, { trust_key: TRUSTED_KEY }, null),
    caseOf(`${name}, by the seals`, bundle, { validators: "validators.txt" }, isSealed ? null : "seals_absent"),
    caseOf(`${name}, with nothing trusted`, bundle, {}, "nothing_trusted"),
  ];
});
const first = "ibft2-batched-later-round.bundle.json";
const given = [
  caseOf("another key is trusted", first, { ...ALL, trust_key: "A".repeat(43) }, "key_not_trusted"),
  caseOf("another document", first, { ...ALL, document: "validators.txt" }, "document_differs"),
  caseOf("another contract", first, { ...ALL, contract: `0x${"11".repeat(20)}` }, "contract_differs"),
  caseOf("other validators", first, { ...ALL, validators: "invalid/other-validators.txt" }, "validators_differ"),
];
const invalid = Object.entries(INVALID).flatMap(([code, bundles]) =>
  Object.entries(bundles).map(([name, text]) => ({ name, text, code: code as Code })),
);

mkdirSync(FOLDER, { recursive: true });
for (const { name, text } of invalid) writeFileSync(join(FOLDER, `${name}.bundle.json`), `${text}\n`);
writeFileSync(join(FOLDER, "other-validators.txt"), `0x${"11".repeat(20)}\n`);
const cases = [
  ...own,
  ...given,
  ...invalid.map(({ name, code }) => caseOf(name.replaceAll("-", " "), `invalid/${name}.bundle.json`, ALL, code)),
];
writeFileSync(
  join(import.meta.dirname, "cases.json"),
  `[\n${cases.map((each) => `  ${JSON.stringify(each)}`).join(",\n")}\n]\n`,
);
