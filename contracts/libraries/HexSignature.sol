// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title Signatures written as hex text
/// @notice Reads `0x` and 130 hex digits, 32 at a time: the bytes of a word are treated as 32 lanes that are
/// checked and converted together. No step carries from one lane into the next.
library HexSignature {
    uint256 private constant LENGTH = 2 + 130;
    /// @dev A byte of value one in every lane; times n, a byte of value n in every lane.
    uint256 private constant LANES = type(uint256).max / 0xff;

    /// @notice Reads a signature of 65 bytes.
    /// @return valid Whether `text` is `0x` and 130 hex digits, upper or lower case; the rest is zero otherwise
    function parse(string calldata text) internal pure returns (bool valid, uint8 v, bytes32 r, bytes32 s) {
        if (bytes(text).length != LENGTH || bytes2(bytes(text)[:2]) != "0x") return (false, 0, 0, 0);
        (uint256 r1, uint256 bad1) = _bytes16(text, 2);
        (uint256 r2, uint256 bad2) = _bytes16(text, 34);
        (uint256 s1, uint256 bad3) = _bytes16(text, 66);
        (uint256 s2, uint256 bad4) = _bytes16(text, 98);
        // The last 32 digits: `v` is their last byte, what stands before it was read already.
        (uint256 end, uint256 bad5) = _bytes16(text, LENGTH - 32);
        if ((bad1 | bad2 | bad3 | bad4 | bad5) != 0) return (false, 0, 0, 0);
        return (true, uint8(end), bytes32((r1 << 128) | r2), bytes32((s1 << 128) | s2));
    }

    /// @dev Value of the 32 hex digits from `position` on; `bad` is not zero when one of them is none.
    function _bytes16(string calldata text, uint256 position) private pure returns (uint256 value, uint256 bad) {
        unchecked {
            uint256 x;
            assembly ("memory-safe") {
                x := calldataload(add(text.offset, position))
            }
            // "0" to "9" are 0x30 to 0x39; "A" to "F" and "a" to "f" are 0x41 to 0x46 and 0x61 to 0x66.
            uint256 letter = (x >> 6) & LANES; // one where bit 6 is set
            value = (x & (LANES * 0x0f)) + letter * 9; // at most 0x0f + 9: fits the lane

            // Bits 7, 6 and 4 are 001 for a digit and 010 for a letter, and a digit has bit 5 set too.
            bad = (x & (LANES * 0xd0)) ^ (LANES * 0x10 + letter * 0x30);
            bad |= ~(x | (x >> 1)) & (LANES * 0x20);
            // No more than 15, and at least 10 exactly when it is a letter.
            bad |= value & (LANES * 0x10);
            bad |= (((value + LANES * 6) >> 4) & LANES) ^ letter;

            // Join neighbouring lanes: 4 bits of 8, 8 of 16, ... until 128 bits stand in one piece.
            value = (value | (value >> 4)) & (type(uint256).max / 0xffff * 0xff);
            value = (value | (value >> 8)) & (type(uint256).max / 0xffffffff * 0xffff);
            value = (value | (value >> 16)) & (type(uint256).max / 0xffffffffffffffff * 0xffffffff);
            value = (value | (value >> 32)) & (type(uint256).max / type(uint128).max * 0xffffffffffffffff);
            value = (value | (value >> 64)) & type(uint128).max;
        }
    }
}
