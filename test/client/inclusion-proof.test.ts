import { createHash, randomUUID } from "node:crypto";
import { assert } from "chai";
import { JsonRpcProvider } from "ethers";
import { ProofClient, toInclusionProof } from "../../client/index.ts";
import { ProofAnchor__factory } from "../../typechain-types/factories/ProofAnchor__factory.ts";
import { startServer, type TestServer } from "../support/server.ts";

describe("toInclusionProof", () => {
  let server: TestServer;
  before(async () => {
    server = await startServer();
  });
  after(() => server.stop());

  it("makes the arguments of a call of the contract, for a document alone and in a batch", async () => {
    const client = new ProofClient(server.url);
    const documentOf = (name: string) => ({
      document_id: `${name} ${randomUUID()}`,
      hash: createHash("sha256").update(name).digest("hex"),
    });
    const alone = await client.submit(documentOf("alone"));
    const batch = await client.submitTogether(["a", "b", "c"].map(documentOf));
    const proofs = [alone, ...batch.proofs];
    assert.deepEqual(
      proofs.map((proof) => proof.status === "confirmed" && proof.proof.merkle === undefined),
      [true, false, false, false],
    );
    const provider = new JsonRpcProvider(server.chainUrl);
    for (const proof of proofs) {
      assert(proof.status === "confirmed");
      const { leaf, path, root } = toInclusionProof(proof);
      const anchors = ProofAnchor__factory.connect(proof.proof.contract, provider);
      assert.isTrue(await anchors.verify(leaf, [...path], root));
      assert.equal(Number((await anchors.anchorOf(root)).time), proof.proof.timestamp);
      const { merkle } = proof.proof;
      if (merkle !== undefined) assert.isFalse(await anchors.verify(merkle.leaf, [...path], root));
    }
    provider.destroy();
  });
});
