// Makes the vectors of this folder anew: node test/vectors/journal/make.ts. They are kept because journals, replicas
// and anchored digests are: a change of the code must not need other vectors.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { encodeEntry, type JournalEntry } from "../../../server/journal/entries/codec.ts";
import { packTexts } from "../../../server/journal/entries/row-body.ts";
import { GENESIS_DIGEST, nextDigest } from "../../../server/journal/integrity/entry-chain.ts";
import { encodeRows, objectName } from "../../../server/journal/replication/replica-object.ts";
import { hex } from "../../../server/kit/bytes.ts";
import { KEY } from "../../support/journal-key.ts";

const bytes = (value: number, length = 32): Uint8Array => Buffer.alloc(length, value);

const ENTRIES: readonly JournalEntry[] = [
  {
    sequence: 1,
    kind: "proof",
    document_id: "contracts/fox.txt",
    hash: bytes(0x01),
    timestamp: 1_700_000_000,
    type: null,
    source: null,
    metadata: null,
    accepted_at: 1_700_000_001_234,
    anchor: 1,
    leaf: 0,
  },
  {
    sequence: 2,
    kind: "proof",
    document_id: 'договор "№ 7"\n\u2028',
    hash: bytes(0xfe),
    timestamp: -1,
    type: "contract",
    source: "orders",
    metadata: { weight: 12.5, tags: ["ü", null, true], ключ: { 7: "seven" } },
    accepted_at: 1_700_000_001_235,
    anchor: 1,
    leaf: 1,
  },
  {
    sequence: 3,
    kind: "confirmation",
    anchor: 1,
    hash: bytes(0x02),
    size: 2,
    checkpoint: null,
    contract: "0x5FbDB2315678afecb367f032d93F642f64180aa3",
    tx_hash: bytes(0x03),
    block_number: 7,
    block_hash: bytes(0x04),
    block_time: 1_700_000_003,
    validator: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
  },
  {
    sequence: 4,
    kind: "account",
    address: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
    keystore: '{"version":3}',
    created_at: 1_700_000_004_000,
  },
  {
    sequence: 5,
    kind: "issuer_key",
    public_key: Buffer.concat([Buffer.of(4), bytes(0x05, 64)]),
    keystore: null,
    created_at: 1_700_000_005_000,
  },
  {
    sequence: 6,
    kind: "verification",
    id: "c0ffee00-0000-4000-8000-000000000006",
    as_of: null,
    newest_entry: 5,
    finished_at: 1_700_000_006_000,
    match: 2,
    mismatch: 0,
    unrecorded: 1,
    pending: 0,
    rows_root: bytes(0x06),
    documents: bytes(0x07),
    signed: null,
  },
  {
    sequence: 7,
    kind: "resolution",
    divergence: "anchor 00: the chain has a hash in block 9 that the journal does not know",
    reason: "an old copy was restored",
    resolved_at: 1_700_000_007_000,
  },
  {
    sequence: 8,
    kind: "confirmation",
    anchor: 2,
    hash: bytes(0x08),
    size: 0,
    checkpoint: 7,
    contract: "0x5FbDB2315678afecb367f032d93F642f64180aa3",
    tx_hash: bytes(0x09),
    block_number: 11,
    block_hash: bytes(0x0a),
    block_time: 1_700_000_008,
    validator: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
  },
  {
    sequence: 9,
    kind: "store",
    account: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
    row_id: "9007199254740993",
    call: bytes(0x0b),
    idempotency_key: bytes(0x0c),
    request: bytes(0x0d),
    accepted_at: 1_700_000_009_000,
  },
  {
    sequence: 10,
    kind: "store",
    account: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
    row_id: "0",
    call: bytes(0x0e),
    idempotency_key: null,
    request: bytes(0x0f),
    accepted_at: 1_700_000_010_000,
  },
];

let digest = GENESIS_DIGEST;
const entries = ENTRIES.map((entry) => {
  const text = encodeEntry(entry);
  digest = nextDigest(digest, text);
  return { kind: entry.kind, text, digest: hex(digest) };
});
const row = {
  first: 1,
  last: ENTRIES.length,
  proofs: 2,
  previous: GENESIS_DIGEST,
  digest,
  body: packTexts(entries.map(({ text }) => text)),
};
const stored = { ...row, code: KEY.codeOf(row) };
const journal = "31337:journal";
const named = { journal, nameCode: KEY.codeOfName(journal) };
const vectors = {
  description: "Entries of each kind, and the row and the object of a replica that have them",
  key: KEY.text().trim(),
  entries,
  row: { ...row, previous: hex(row.previous), digest: hex(digest), body: hex(row.body), code: hex(stored.code) },
  object: { name: objectName(1, stored), content: hex(encodeRows(named, [stored])) },
};
writeFileSync(join(import.meta.dirname, "journal.json"), `${JSON.stringify(vectors, null, 2)}\n`);
