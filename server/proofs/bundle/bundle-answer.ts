import { z } from "zod";
import { BUNDLE_FORMAT } from "./bundle.ts";
import { Address, ChainHash, Hash, Metadata, whole } from "../../http/openapi/primitives.ts";

const hexText = z
  .string()
  .regex(/^0x([0-9a-f]{2})*$/)
  .meta({ id: "HexBytes", description: "Bytes as `0x` and lower-case hexadecimal digits." });
const proven = z.object({ raw: hexText, proof: z.array(hexText) }).meta({
  id: "ProvenBytes",
  description: "Bytes of a block, and the nodes of its trie that prove them, the root first.",
});

/** `GET /api/v1/proof/{id}?format=bundle` */
export const Bundle = z
  .object({
    format: z.literal(BUNDLE_FORMAT),
    record: z.object({ document_id: z.string(), hash: Hash, metadata: Metadata, record_hash: Hash }),
    merkle: z
      .object({ index: whole, leaf: ChainHash, path: z.array(ChainHash), root: ChainHash, size: z.int().positive() })
      .nullable()
      .meta({ description: "`null` for a recorded hash that went on chain alone." }),
    anchor: z.object({ chain_id: whole, contract: Address, index: whole, receipt: proven, transaction: proven }),
    block: z.object({ hash: ChainHash, header: hexText }),
    consensus: z.object({ protocol: z.string(), validators: z.array(Address) }),
    signature: z.object({
      algorithm: z.literal("Ed25519"),
      key_id: z.string(),
      public_key: Hash,
      value: z.string().regex(/^[0-9a-f]{128}$/),
    }),
  })
  .meta({
    id: "Bundle",
    description:
      "A portable proof: with it anybody can check the document without this server. Its text is signed: keep it as it came.",
  });
