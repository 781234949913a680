import { hash } from "node:crypto";
import { keyIdOf, publicKeyInfo } from "../issuer/signing-key.ts";
import type { AttestationStep } from "./responses.ts";
import type { AttestationFacts, RecordFacts, VerificationFacts } from "./facts.ts";
import { printfFormat, shellWord } from "./shell-text.ts";
import { hex, prefixedHex } from "../kit/bytes.ts";

/** The first step, which only readers of the PDF need. */
const EXTRACTION = "The attached files";

/** ABI-encoded `true`. */
const TRUE = `0x${"1".padStart(64, "0")}`;

/** Lists the commands that check the statement without the issuer, for a POSIX shell. */
export function stepsOf(facts: AttestationFacts): AttestationStep[] {
  return [
    ...attachmentSteps(facts),
    signatureStep(facts),
    ...("records" in facts ? recordSteps(facts) : rowSteps(facts)),
  ];
}

function attachmentSteps(facts: AttestationFacts): AttestationStep[] {
  const { issuer, verifier } = facts;
  const keyId = keyIdOf(issuer.publicKey);
  const command = `node ${verifier.file} attestation.jws`;
  return [
    {
      title: EXTRACTION,
      run: "pdfdetach -saveall attestation.pdf   # the name of this PDF; pdfdetach is part of poppler-utils",
      expect: [],
      proves: "Nothing; extracts the files that the next steps read.",
    },
    {
      title: "The verifier",
      run: `sha256sum ${verifier.file}`,
      expect: [hash("sha256", verifier.content)],
      proves:
        "The verifier is the one of this statement. It is a single text file to be read from top to bottom, requires " +
        "only Node 18, and uses no network without the option --rpc.",
    },
    {
      title: "All checks, offline",
      run: `${command} --trust-key ${keyId}`,
      expect: [`VERIFIED. The attestation ${keyId}`],
      proves:
        `The holder of the key ${keyId} signed this statement and the attached files, and each attached portable ` +
        "proof leads from its recorded hash to its block. Confirm from another source that the key is the issuer's: " +
        `with the issuer in person, in an earlier document of the issuer, or at ${issuer.jwksUrl} while it exists. ` +
        "The options --validators FILE (the addresses of the chain's validators) and --rpc URL (a node of the chain) " +
        "check the blocks of the portable proofs independently of the issuer.",
    },
    ...("records" in facts
      ? [
          {
            title: "All checks, with the document",
            run: `DOCUMENT=document   # the file\n${command} "$DOCUMENT" --trust-key ${keyId}`,
            expect: [`VERIFIED. The attestation ${keyId}`, "The document is the content of record"],
            proves: "The file is the content of a listed record.",
          },
        ]
      : []),
  ];
}

/** A JWS has the two numbers of a signature one after the other; OpenSSL reads them as ASN.1. */
function signatureStep({ issuer }: AttestationFacts): AttestationStep {
  return {
    title: "The signature, with OpenSSL",
    run: [
      `printf '%s\\n' '-----BEGIN PUBLIC KEY-----' ${shellWord(publicKeyInfo(issuer.publicKey))} ` +
        `'-----END PUBLIC KEY-----' > issuer.pem`,
      "JWS=$(cat attestation.jws)",
      `printf '%s' "\${JWS%.*}" > signed.txt`,
      `HEX=$(printf '%s==' "\${JWS##*.}" | tr '_-' '/+' | base64 -d | od -An -v -tx1 | tr -d ' \\n')`,
      `R=$(printf '%s' "$HEX" | cut -c1-64)`,
      `S=$(printf '%s' "$HEX" | cut -c65-128)`,
      `printf 'asn1=SEQUENCE:s\\n[s]\\nr=INTEGER:0x%s\\ns=INTEGER:0x%s\\n' "$R" "$S" > signature.cnf`,
      "openssl asn1parse -genconf signature.cnf -noout -out signature.der",
      "openssl dgst -sha256 -verify issuer.pem -signature signature.der signed.txt",
    ].join("\n"),
    expect: ["Verified OK"],
    proves: `The holder of the key ${keyIdOf(issuer.publicKey)} signed the attestation.`,
  };
}

/** The steps with the newest record's values. The statement contains the values of the other records. */
function recordSteps({ records: [record], queries, installation }: RecordFacts): AttestationStep[] {
  const { documentId, hash, recordHash, metadata, merkle, outcome } = record.proof;
  const { transactionHash, block } = outcome;
  const anchored = hex(merkle?.root ?? recordHash);
  const recordedText = `${documentId}${metadata.timestamp}${metadata.type ?? ""}${hex(hash)}`;
  return [
    {
      title: "Inputs",
      run:
        "DOCUMENT=document   # the file\n" +
        `NODE=http://127.0.0.1:8545   # any node of chain ${installation.chainId} that you trust`,
      expect: [],
      proves: "Nothing; the following steps use these two variables.",
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
      proves:
        "The recorded hash is the hash of document id, timestamp, type and the document's SHA-256, in this order.",
    },
    {
      title: "The chain",
      run: rpcCommand("eth_chainId", []),
      expect: [quantity(installation.chainId)],
      proves: `The node belongs to chain ${installation.chainId}.`,
    },
    ...(queries.verify === undefined
      ? []
      : [
          {
            title: "The Merkle path",
            run: rpcCommand("eth_call", [{ to: installation.contract, data: queries.verify }, "latest"]),
            expect: [TRUE],
            proves: "The contract has the root, and the Merkle path leads from the recorded hash to it.",
          },
        ]),
    {
      title: "The anchor",
      run: rpcCommand("eth_call", [{ to: installation.contract, data: queries.anchor }, "latest"]),
      expect: [record.response],
      proves:
        `The contract first anchored ${merkle === undefined ? "the recorded hash" : "the root"} in block ` +
        `${record.firstAnchor.blockNumber}, at ${record.firstAnchor.time} (Unix seconds). The response is ` +
        "time, block and size, 32 bytes each.",
    },
    {
      title: "The transaction",
      run: rpcCommand("eth_getTransactionByHash", [prefixedHex(transactionHash)]),
      expect: [prefixedHex(block.hash), anchored],
      proves: `The transaction contains the ${merkle === undefined ? "recorded hash" : "root"} and is in the block.`,
    },
    {
      title: "The block",
      run: rpcCommand("eth_getBlockByNumber", [quantity(block.number), false]),
      expect: [prefixedHex(block.hash), quantity(block.time)],
      proves: `Block ${block.number} has this hash and the time ${block.time} (Unix seconds).`,
    },
  ];
}

/** Prints the root over the rows of a JSON or NDJSON response (RFC 6962, section 2.1). */
const ROWS_ROOT = `
const { createHash } = require("node:crypto");
const hash = (...parts) => parts.reduce((digest, part) => digest.update(part), createHash("sha256")).digest();
const root = (nodes) => {
  if (nodes.length < 2) return nodes[0] ?? hash();
  let half = 1;
  while (half * 2 < nodes.length) half *= 2;
  return hash(Buffer.of(1), root(nodes.slice(0, half)), root(nodes.slice(half)));
};
const lines = require("node:fs").readFileSync("response", "utf8").trimEnd().split("\\n");
const parsed = () => (JSON.parse(lines[0]).documents ?? []).map((row) => JSON.stringify(row));
const rows = lines.length > 1 ? lines.slice(0, -1) : parsed();
console.log(rows.length, root(rows.map((row) => hash(Buffer.of(0), row))).toString("hex"));
`;

function rowSteps({ verification }: VerificationFacts): AttestationStep[] {
  return [
    {
      title: "The rows",
      run: `# "response" is the response of the verification, JSON or NDJSON\nnode -e ${shellWord(ROWS_ROOT)}`,
      expect: [`${verification.totals.documents} ${hex(verification.rowsRoot)}`],
      proves: "The rows are those of the verification: complete, unchanged and in order.",
    },
    {
      title: "Any of the documents",
      run: "sha256sum document   # compare with its row in the response",
      expect: [],
      proves:
        "The file is the compared one. A row with tx_hash and block_number can be checked against the chain; an " +
        "attestation of its document lists the steps.",
    },
  ];
}

function rpcCommand(method: string, params: readonly unknown[]): string {
  const request = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  return `curl -s "$NODE" -H 'Content-Type: application/json' -d '${request}'`;
}

function quantity(value: number): string {
  return `0x${value.toString(16)}`;
}
