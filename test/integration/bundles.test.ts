import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect } from "chai";
import { ProofAnchorClient } from "../../server/chain/contracts/proof-anchor-client.ts";
import { fetchChainId, connectRpc } from "../../server/chain/rpc/connect.ts";
import { BundleService } from "../../server/proofs/bundle.ts";
import { keyIdOf, newPrivateKey, signingKey } from "../../server/issuer/signing-key.ts";
import type { Proof } from "../../server/proofs/proof.ts";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";
import type { ParsedJson } from "../support/parsed-json.ts";
import { startServer, type TestServer } from "../support/server.ts";

const VERIFIER = join(import.meta.dirname, "../../verifier/verify.mjs");
const hexBytes = (hex: string): Uint8Array => Buffer.from(hex.replace(/^0x/, ""), "hex");

describe("bundles of a server", function () {
  let server: TestServer;
  let directory: string;
  const key = signingKey(newPrivateKey());
  const issuer = { signingKey: async () => key };
  const trustedKey = keyIdOf(key.publicKey);

  before(async () => {
    directory = await temporaryDirectory();
    server = await startServer({}, { directory: join(directory, "data") });
  });
  after(async () => {
    await server.stop();
    await removeDirectory(directory);
  });

  const submit = async (documentId: string, document: string, metadata: object = {}): Promise<ParsedJson> => {
    const hash = createHash("sha256").update(document).digest("hex");
    const { body } = await server.post("/api/v1/proof", { document_id: documentId, hash, metadata });
    expect(body.status).to.equal("confirmed");
    return body.proof;
  };
  const batch = async (documents: readonly string[]): Promise<ParsedJson[]> => {
    const hashed = documents.map((document, index) => ({
      document_id: `document ${index}`,
      hash: createHash("sha256").update(document).digest("hex"),
    }));
    const { status, text } = await server.post("/api/v1/proof/batch", { documents: hashed });
    expect(status, text).to.equal(201);
    const responses = await Promise.all(
      hashed.map(({ document_id }) => server.get(`/api/v1/proof/${encodeURIComponent(document_id)}`)),
    );
    return responses.map(({ body }) => body.proof);
  };
  /** The proof as the domain has it, from the server's response. */
  const proofOf = (response: ParsedJson): Proof => ({
    documentId: response.document_id,
    hash: hexBytes(response.hash),
    recordHash: hexBytes(response.record_hash),
    metadata: response.metadata,
    acceptedAt: 0,
    outcome: {
      state: "confirmed",
      contract: response.contract,
      transactionHash: hexBytes(response.tx_hash),
      block: {
        number: response.block_number,
        hash: hexBytes(response.block_hash),
        time: response.timestamp,
        validator: response.validator,
      },
    },
    merkle: response.merkle && {
      root: hexBytes(response.merkle.root),
      leaf: hexBytes(response.merkle.leaf),
      index: response.merkle.index,
      path: response.merkle.path.map(hexBytes),
    },
  });
  const bundleFor = async (response: ParsedJson): Promise<string | undefined> => {
    const rpc = connectRpc(server.chainUrl, await fetchChainId(server.chainUrl));
    try {
      const chain = new ProofAnchorClient(rpc, response.contract);
      return await new BundleService({ chain, issuer }).bundleFor(proofOf(response));
    } finally {
      rpc.close();
    }
  };
  /** Runs the verifier as a process; the chain's node is in this process and must be able to respond. */
  const verify = async (
    bundle: string,
    document: string,
    ...options: string[]
  ): Promise<{ code: number | null; out: string }> => {
    const [bundleFile, documentFile] = [join(directory, "proof.bundle.json"), join(directory, "document")];
    writeFileSync(bundleFile, `${bundle}\n`);
    writeFileSync(documentFile, document);
    const child = spawn(process.execPath, [VERIFIER, bundleFile, documentFile, ...options], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const code = new Promise<number | null>((resolve) => child.once("close", resolve));
    const [ended, out] = await Promise.all([code, text(child.stdout)]);
    return { code: ended, out };
  };

  it("verify against the node and the issuer's key, single and in a batch, also after a restart", async () => {
    const kept: { bundle: string; document: string; response: ParsedJson }[] = [];
    const keep = async (response: ParsedJson, document: string): Promise<void> => {
      const bundle = await bundleFor(response);
      if (bundle === undefined) throw new Error("there is no bundle");
      expect(bundle).to.include(response.block_hash);
      kept.push({ bundle, document, response });
    };
    await keep(
      await submit("contract 1", "one", { type: "contract", source: "orders", note: { ключ: ["ü", 1.5, null] } }),
      "one",
    );
    await keep(await submit("contract 2 \u{1f600}", "two"), "two");
    const documents = Array.from({ length: 37 }, (_, index) => `text ${index}`);
    const responses = await batch(documents);
    for (const index of [0, 17, 36]) await keep(responses[index], documents[index] ?? "");

    const check = async (): Promise<void> => {
      for (const { bundle, document } of kept) {
        const queried = await verify(bundle, document, "--rpc", server.chainUrl);
        expect(queried.code, queried.out).to.equal(0);
        const signed = await verify(bundle, document, "--trust-key", trustedKey);
        expect(signed.code, signed.out).to.equal(0);
        expect((await verify(bundle, `${document} `, "--rpc", server.chainUrl)).code).to.equal(1);
      }
    };
    await check();
    await server.stop("keep");
    server = await startServer({}, { directory: join(directory, "data") });
    await check();
    // The chain returns the same for its old blocks: evidence can be collected later.
    for (const { bundle, response } of kept) expect(await bundleFor(response)).to.equal(bundle);
  });

  it("require proofs that are confirmed and on chain", async () => {
    const response = await submit("pending", "four");
    const rpc = connectRpc(server.chainUrl, await fetchChainId(server.chainUrl));
    const chain = new ProofAnchorClient(rpc, response.contract);
    const service = new BundleService({ chain, issuer });
    expect(await service.bundleFor({ ...proofOf(response), outcome: { state: "pending" } })).to.equal(undefined);
    expect(await service.bundleFor({ ...proofOf(response), recordHash: randomBytes(32), merkle: undefined })).to.equal(
      undefined,
    );
    rpc.close();
  });
});
