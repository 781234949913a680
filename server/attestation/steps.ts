import { publicKeyInfo } from "./ed25519-signer.ts";
import { keyIdOf } from "../proofs/index.ts";
import type { AttestationStep } from "./responses.ts";
import type { AttestationFacts, AttestedProof, VerificationFacts } from "./facts.ts";
import { hex, prefixed } from "./hex.ts";
import { printfFormat, shellWord } from "./shell-text.ts";

/** The answer of a contract that says yes. */
const TRUE = `0x${"1".padStart(64, "0")}`;

/** The exact steps to check all of it without the issuer, for a POSIX shell. */
export function stepsOf(facts: AttestationFacts): AttestationStep[] {
  return [...signatureSteps(facts), ...("records" in facts ? recordSteps(facts.records[0], facts) : rowSteps(facts))];
}

function signatureSteps({ issuer }: AttestationFacts): AttestationStep[] {
  const keyId = keyIdOf(issuer.publicKey);
  return [
    {
      title: "The signature, with OpenSSL",
      run: [
        `printf '%s\\n' '-----BEGIN PUBLIC KEY-----' ${shellWord(publicKeyInfo(issuer.publicKey))} '-----END PUBLIC KEY-----' > issuer.pem`,
        "JWS=$(cat attestation.jws)",
        `printf '%s' "\${JWS%.*}" > signed.txt`,
        `printf '%s==' "\${JWS##*.}" | tr '_-' '/+' | base64 -d > signature.bin`,
        "openssl pkeyutl -verify -pubin -inkey issuer.pem -rawin -in signed.txt -sigfile signature.bin",
      ].join("\n"),
      expect: ["Signature Verified Successfully"],
      proves: `The holder of the key ${keyId} signed the attestation. That it is the issuer's key has to be known from elsewhere, for instance from the next step or from the issuer in person.`,
    },
    {
      title: "The issuer's key, as it is published",
      run: `curl -s ${shellWord(issuer.jwksUrl)}`,
      expect: [keyId, Buffer.from(issuer.publicKey).toString("base64url")],
      proves: "The issuer publishes the key, also long after it signs with another one.",
    },
  ];
}

/** With the newest record's values; the other records' stand in the statement. */
function recordSteps(record: AttestedProof, { place }: AttestationFacts): AttestationStep[] {
  const { documentId, hash, recordHash, metadata, merkle, outcome } = record.proof;
  const { transactionHash, block } = outcome;
  const anchored = hex(merkle?.root ?? recordHash);
  const recordedText = `${documentId}${metadata.timestamp}${metadata.type ?? ""}${hex(hash)}`;
  return [
    {
      title: "What you have",
      run: `DOCUMENT=document   # the file\nNODE=http://127.0.0.1:8545   # any node of chain ${place.chainId} that you trust`,
      expect: [],
      proves: "Nothing; the steps below read these two.",
    },
    {
      title: "The document",
      run: `sha256sum "$DOCUMENT"`,
      expect: [hex(hash)],
      proves: "The file is the content of the newest record.",
    },
    {
      title: "The recorded hash",
      run: `printf ${printfFormat(recordedText)} | sha256sum`,
      expect: [hex(recordHash)],
      proves: "Document id, timestamp, type and the document's SHA-256 make the recorded hash, in this order.",
    },
    {
      title: "The chain",
      run: ask("eth_chainId", []),
      expect: [quantity(place.chainId)],
      proves: `The node is of chain ${place.chainId}.`,
    },
    ...(record.verifyQuestion === undefined
      ? []
      : [
          {
            title: "The Merkle path",
            run: ask("eth_call", [{ to: place.contract, data: record.verifyQuestion }, "latest"]),
            expect: [TRUE],
            proves: "The contract has the root, and the path leads to it from the recorded hash.",
          },
        ]),
    {
      title: "The anchor",
      run: ask("eth_call", [{ to: place.contract, data: record.anchorQuestion }, "latest"]),
      expect: [record.answer],
      proves: `The contract saw ${merkle === undefined ? "the recorded hash" : "the root"} first in block ${record.firstAnchor.blockNumber}, at ${record.firstAnchor.time} (Unix seconds): the answer is time, block and size, 32 bytes each.`,
    },
    {
      title: "The transaction",
      run: ask("eth_getTransactionByHash", [prefixed(transactionHash)]),
      expect: [prefixed(block.hash), anchored],
      proves: `The transaction carries ${merkle === undefined ? "the recorded hash" : "the root"}, and is in the block.`,
    },
    {
      title: "The block",
      run: ask("eth_getBlockByNumber", [quantity(block.number), false]),
      expect: [prefixed(block.hash), quantity(block.time)],
      proves: `Block ${block.number} has this hash, and ${block.time} (Unix seconds) as its time.`,
    },
    {
      title: "All of it at once, with the portable proof",
      run: [
        `curl -s ${shellWord(`${place.publicUrl}/api/v1/proof/${hex(recordHash)}?format=bundle`)} > proof.bundle.json   # once; keep it`,
        `node verifier/verify.mjs proof.bundle.json "$DOCUMENT" --rpc "$NODE"`,
      ].join("\n"),
      expect: ["VERIFIED. The document"],
      proves:
        "Everything above, and that transaction and receipt are part of the block. The verifier is one file that needs Node 18 and nothing else.",
    },
  ];
}

/** Prints the root over the rows of an answer of either form (RFC 6962, section 2.1). */
const ROWS_ROOT = `
const { createHash } = require("node:crypto");
const hash = (...parts) => parts.reduce((digest, part) => digest.update(part), createHash("sha256")).digest();
const root = (nodes) => {
  if (nodes.length < 2) return nodes[0] ?? hash();
  let half = 1;
  while (half * 2 < nodes.length) half *= 2;
  return hash(Buffer.of(1), root(nodes.slice(0, half)), root(nodes.slice(half)));
};
const lines = require("node:fs").readFileSync("answer", "utf8").trimEnd().split("\\n");
const rows = lines.length > 1 ? lines.slice(0, -1) : (JSON.parse(lines[0]).documents ?? []).map((row) => JSON.stringify(row));
console.log(rows.length, root(rows.map((row) => hash(Buffer.of(0), row))).toString("hex"));
`;

function rowSteps({ verification }: VerificationFacts): AttestationStep[] {
  return [
    {
      title: "The rows",
      run: `# "answer" is what the verification answered, JSON or NDJSON, as it came\nnode -e ${shellWord(ROWS_ROOT)}`,
      expect: [`${verification.totals.documents} ${hex(verification.rowsRoot)}`],
      proves: "The rows are those that the verification told: all of them, in their order, unchanged.",
    },
    {
      title: "Any of the documents",
      run: "sha256sum document   # and look for its row in the answer",
      expect: [],
      proves:
        "The file is the one that was compared. A row that has tx_hash and block_number can be checked against the chain; an attestation of its document tells how.",
    },
  ];
}

function ask(method: string, params: readonly unknown[]): string {
  const request = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  return `curl -s "$NODE" -H 'Content-Type: application/json' -d '${request}'`;
}

function quantity(value: number): string {
  return `0x${value.toString(16)}`;
}
