import type { BlockReference } from "../block.ts";
import type { AnchorOnChain } from "./anchor.ts";

/** What the contract had of some hashes at one block. */
export interface AnchorInspection {
  readonly block: BlockReference;
  /** In the order of the hashes; `time` is 0 for a hash that was never anchored. `answer` is the contract's, `0x` hex. */
  readonly anchors: readonly (AnchorOnChain & { readonly answer: string })[];
}

/** Asks the anchor contract, and says how anybody can ask the same. */
export interface AnchorInspector {
  /**
   * Asks for all hashes at the newest block.
   * @throws SealbookError `chain_unavailable`
   */
  inspect(hashes: readonly Uint8Array[]): Promise<AnchorInspection>;
  /** Call data that ask for the anchor of a hash or root, `0x` hex. */
  anchorQuestion(hash: Uint8Array): string;
  /** Call data that ask whether a path leads from a hash to an anchored root. */
  verifyQuestion(hash: Uint8Array, path: readonly Uint8Array[], root: Uint8Array): string;
}
