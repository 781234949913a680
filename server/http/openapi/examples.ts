import { createHash } from "node:crypto";
import { type Example, JSON_TYPE, PROBLEM_TYPE } from "./operation.ts";

/** Placeholders for the ids of a server. */
export const EXAMPLE_IDS = {
  proof: "4f95b14328a71f0d651e45db7bd62a82f6737bbac07cbd091b9bc4827e95a21a",
  batch: "843bdfccb80b6e1c29ce93b913624a23ee05eaeac0474533d1832d4fe4750994",
  transaction: "0xeea9d4c76fab906ae4c4e2287afa8325e24ac50ef4bb59e99f59ce0c52d43680",
  verification: "f0cb81d2-09cd-4be6-8389-49ed13fe61e4",
} as const;

const BLOCK_TIME = 1_795_291_651;
/** The chain and contract of the examples. */
export const CHAIN = { chain_id: 7325, contract: "0x7f2B51b9bC841A1396e0A5291ad79e4ADAd7EE16" };
const EXPLORER = "https://sealbook.example.org/explorer/tx/";

/** The document of the examples. */
export const CONTRACT = {
  document_id: "contract-2026-001",
  hash: "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
  metadata: { type: "contract", timestamp: 1_700_000_000, source: "crm" },
};

/** The documents of a batch. */
export const ORDERS = [
  {
    document_id: "order 1",
    hash: "fcde2b2edba56bf408601fb721fe9b5c338d10ee429ea04fae5511b68fbf8fb9",
    metadata: { timestamp: BLOCK_TIME },
  },
  {
    document_id: "order 2",
    hash: "baa5a0964d3320fbc0c6a922140453c8513ea24ab8fd0577034804a967248096",
    metadata: { timestamp: BLOCK_TIME },
  },
];

/** The anchor of {@link CONTRACT}. */
export const ONE_BLOCK = {
  tx_hash: EXAMPLE_IDS.transaction,
  block_number: 10,
  block_hash: "0x63906170c43501bae8f40da4e817d68ccc3ec0e3c7b02a02d155b82beac49f75",
  timestamp: BLOCK_TIME,
  validator: "embedded",
};

export const CONFIRMED = {
  status: "confirmed",
  id: EXAMPLE_IDS.proof,
  proof: { id: EXAMPLE_IDS.proof, ...CONTRACT, record_hash: EXAMPLE_IDS.proof, ...CHAIN, ...ONE_BLOCK },
  verification_url: EXPLORER + EXAMPLE_IDS.transaction,
};

const BATCH = {
  id: EXAMPLE_IDS.batch,
  root: `0x${EXAMPLE_IDS.batch}`,
  size: 2,
  tx_hash: "0x2b50e3cd7699a9ef55738d6e56ba6fc11f03defd1c37e87a47f012cce9eadbe5",
  block_number: 11,
  block_hash: "0x3b0ce4f1bd8c213601d44c8542f0e16a1343f8092403eebd64f2fab7b13fb92e",
  timestamp: BLOCK_TIME,
  validator: "embedded",
};
const LEAVES = [
  "0x8a8c91fcb113a913de60e8f8147c658c2f41c6619e700b81824b54cc74c2f6b7",
  "0x7b2ad115aa3bdd72f4901e689aa91597c4a30d1350a76cdb3bf1359e943e410a",
] as const;
const ORDER_IDS = [
  "f9c347031125ba527c591516b7ef2346c4b51f241c39e9b0d30a6d748a701eab",
  "781c1355daab373773bae64db944bbde2d49f45e6d65a74b8c787b8a2d588563",
] as const;

const PROVED_ORDERS = ORDERS.map((order, index) => {
  const id = ORDER_IDS[index];
  const { id: _batch, root, size: _size, ...block } = BATCH;
  const merkle = { root, leaf: LEAVES[index], index, path: [LEAVES[1 - index]] };
  return {
    status: "confirmed",
    id,
    proof: { id, ...order, record_hash: id, ...CHAIN, ...block, merkle },
    verification_url: EXPLORER + BATCH.tx_hash,
  };
});

export const BATCH_RESPONSE = { status: "confirmed", batch: BATCH, proofs: PROVED_ORDERS };
export const BATCH_FIRST_PAGE = { ...BATCH_RESPONSE, proofs: PROVED_ORDERS.slice(0, 1), next: "1" };
export const VERIFIED = { valid: true, proof: { tx_hash: ONE_BLOCK.tx_hash, block_number: 10, timestamp: BLOCK_TIME } };

const RECORDED = { id: EXAMPLE_IDS.proof, recorded_at: BLOCK_TIME, tx_hash: ONE_BLOCK.tx_hash, block_number: 10 };
const { document_id, hash, metadata } = CONTRACT;

/** Restored documents: one unchanged, one changed, one never recorded. */
export const RESTORED = [
  { document_id, hash },
  { document_id: "order 1", hash: "0".repeat(64) },
  { document_id: "copy of a contract", hash },
];

const [, changed, copy] = RESTORED;
export const COMPARED = [
  { document_id, result: "match", hash, ...RECORDED },
  {
    ...changed,
    result: "mismatch",
    recorded_hash: ORDERS[0]?.hash,
    id: ORDER_IDS[0],
    recorded_at: BLOCK_TIME,
    tx_hash: BATCH.tx_hash,
    block_number: 11,
  },
  { ...copy, result: "unrecorded", recorded_as: [document_id] },
];
export const TOTALS = {
  verification_id: EXAMPLE_IDS.verification,
  as_of: null,
  finished_at: BLOCK_TIME,
  totals: { documents: 3, match: 1, mismatch: 1, unrecorded: 1 },
  rows_root: "d81e2cebe84fa0d1b24ae525a96c16bfd498d272549ae38bad0fca0794f95c5d",
};
export const RECORDED_CONTRACT = { document_id, hash, metadata, ...RECORDED };

const STATEMENT_KEY = {
  id: "Bcehtjle2fs_NCOxHj10TYbWxhcSH7V5ocOmHhuCitc",
  jwk: {
    kty: "EC",
    crv: "P-256",
    x: "9yDY7CH0RY_rLSrsB9RI0JpvekGKlL3TIDQ4jzE8LjI",
    y: "lqc7AaZySjkoeKm9FmEiqiMnuiExsGtPuetgK__T5jE",
  },
};
const KEY = { id: "c956adfe8674f1fe", x: "UF6X-njtP02YXRJmO60J6h36N8Q3j8od9mg6tscxAXY" };
const JWKS_URL = "https://sealbook.example.org/.well-known/jwks.json";

/** The published keys of the issuer. */
export const PUBLISHED_KEYS = {
  keys: [
    { ...STATEMENT_KEY.jwk, kid: STATEMENT_KEY.id, use: "sig", alg: "ES256" },
    { kty: "OKP", crv: "Ed25519", x: KEY.x, kid: KEY.id, use: "sig", alg: "EdDSA" },
  ],
};

const { tx_hash, ...contractBlock } = ONE_BLOCK;
const { validator: _validator, ...queriedBlock } = contractBlock;

const BUNDLE_FILE = "proof-1.bundle.json";
/** The beginning of a portable proof. */
const BUNDLE_TEXT = '{"anchor":{"chain_id":';

/** A statement, with the first entry of each long list. */
export const ATTESTED = {
  attestation:
    "eyJhbGciOiJFUzI1NiIsImtpZCI6IkJjZWh0amxlMmZzX05DT3hIajEwVFliV3hoY1NIN1Y1b2NPbUhodUNpdGMiLC" +
    "J0eXAiOiJzZWFsYm9vay1hdHRlc3RhdGlvbitqd3MifQ." +
    "eyJhdWRpZW5jZSI6ImNvdXJ0In0." +
    "kJxdOfqPsXUiQ6nItfxj2-4Wy6D5Apjr7bmg8b7fQ1aGbANrHWjW-Jb4H0wyEn8W8hPZ0COBIeJmNb_08pFPeQ",
  statement: {
    format: "sealbook-attestation/1",
    audience: "court",
    subject: { document_id },
    issued_at: BLOCK_TIME,
    issuer: {
      name: "Sealbook appliance",
      key_id: STATEMENT_KEY.id,
      public_key: STATEMENT_KEY.jwk,
      bundle_key: Buffer.from(KEY.x, "base64url").toString("hex"),
      jwks_url: JWKS_URL,
    },
    chain: { ...CHAIN, queried_at: queriedBlock },
    introduction:
      "This statement is made for a court. It sets out what was recorded, when, on which chain and by which " +
      "contract, how that was checked before signing, and who signs.",
    claims: [
      "A file is the recorded content if its SHA-256 equals the one given here, and is not if a single bit differs.",
    ],
    limitations: ["Whether the content is true, who made it, or how long before that time it was made."],
    record_count: 1,
    records: [
      {
        ...CONTRACT,
        record_hash: EXAMPLE_IDS.proof,
        contract: CHAIN.contract,
        tx_hash,
        ...contractBlock,
        merkle: null,
        first_anchor: { timestamp: BLOCK_TIME, block_number: 10, size: 0 },
        bundle: BUNDLE_FILE,
        verification_url: EXPLORER + tx_hash,
      },
    ],
    attachments: [{ file: BUNDLE_FILE, sha256: createHash("sha256").update(BUNDLE_TEXT).digest("hex") }],
    checks: [
      {
        title: "Recorded hash",
        description: "Recomputed from document id, timestamp, type and SHA-256 of each listed record.",
        outcome: "passed",
      },
    ],
    steps: [
      {
        title: "The document",
        run: 'sha256sum "$DOCUMENT"',
        expect: [hash],
        proves: "The file is the content of the newest record.",
      },
    ],
  },
  attachments: [{ file: BUNDLE_FILE, content: BUNDLE_TEXT }],
  kid: STATEMENT_KEY.id,
  jwks_url: JWKS_URL,
};

/** Formats values as NDJSON. */
export function lines(values: readonly unknown[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join("");
}

/** Creates the response of an example. */
export function exampleResponse(value: unknown, status = 200, type = JSON_TYPE): Example["response"] {
  return { status, type, value };
}

/** Creates the error response of an example. */
export function problemResponse(
  status: number,
  code: string,
  title: string,
  detail: string,
  errors?: readonly object[],
): Example["response"] {
  const problem = { type: `urn:sealbook:problem:${code}`, title, status, detail };
  return { status, type: PROBLEM_TYPE, value: errors === undefined ? problem : { ...problem, errors } };
}

/** A 404 response. */
export const notFound = (detail: string): Example["response"] => problemResponse(404, "not_found", "Not found", detail);
