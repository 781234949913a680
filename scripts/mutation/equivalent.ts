import type { EquivalentMutant } from "./mutants.ts";

const HEX_SIGNATURE = "contracts/libraries/HexSignature.sol";
const LONGER_SLICE = "bytes32 takes the first 32 bytes of a longer slice";

/** Mutants that behave as the contracts do. Those with the same code are found without this list. */
export const EQUIVALENT: readonly EquivalentMutant[] = [
  {
    file: HEX_SIGNATURE,
    original: "(uint256 r1, uint256 bad1) = _bytes16(bytes32(bytes(text)[2:34]));",
    mutated: "(uint256 r1, uint256 bad1) = _bytes16(bytes32(bytes(text)[2:35]));",
    reason: LONGER_SLICE,
  },
  {
    file: HEX_SIGNATURE,
    original: "(uint256 r2, uint256 bad2) = _bytes16(bytes32(bytes(text)[34:66]));",
    mutated: "(uint256 r2, uint256 bad2) = _bytes16(bytes32(bytes(text)[34:67]));",
    reason: LONGER_SLICE,
  },
  {
    file: HEX_SIGNATURE,
    original: "(uint256 s1, uint256 bad3) = _bytes16(bytes32(bytes(text)[66:98]));",
    mutated: "(uint256 s1, uint256 bad3) = _bytes16(bytes32(bytes(text)[66:99]));",
    reason: LONGER_SLICE,
  },
  {
    file: HEX_SIGNATURE,
    original: "(uint256 s2, uint256 bad4) = _bytes16(bytes32(bytes(text)[98:130]));",
    mutated: "(uint256 s2, uint256 bad4) = _bytes16(bytes32(bytes(text)[98:131]));",
    reason: LONGER_SLICE,
  },
];
