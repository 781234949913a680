// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title Signatures as hex text
/// @notice Reads 32 hex digits at a time: the 32 bytes of a word are lanes that are checked and converted in
/// parallel. No step carries from one lane into the next.
library HexSignature {
    /// @dev A byte of value one in every lane; times n, a byte of value n in every lane.
    uint256 private constant LANES = type(uint256).max / 0xff;

    /// @notice Reads the 65 bytes of a signature from `0x` and 130 hex digits, upper or lower case.
    /// @param text The hex text
    /// @return v 27 or 28; zero, like `r` and `s`, when `text` is anything else
    /// @return r First 32 bytes
    /// @return s Next 32 bytes
    function parse(string calldata text) internal pure returns (uint8 v, bytes32 r, bytes32 s) {
        if (bytes(text).length != 132 || bytes2(bytes(text)) != "0x") return (0, 0, 0);
        (uint256 r1, uint256 bad1) = _bytes16(bytes32(bytes(text)[2:34]));
        (uint256 r2, uint256 bad2) = _bytes16(bytes32(bytes(text)[34:66]));
        (uint256 s1, uint256 bad3) = _bytes16(bytes32(bytes(text)[66:98]));
        (uint256 s2, uint256 bad4) = _bytes16(bytes32(bytes(text)[98:130]));
        if ((bad1 | bad2 | bad3 | bad4) != 0) return (0, 0, 0);
        bytes2 end = bytes2(bytes(text)[130:]) | 0x0020; // last digit in lower case
        if (end == "1b") v = 27;
        else if (end == "1c") v = 28;
        else return (0, 0, 0);
        return (v, bytes32((r1 << 128) | r2), bytes32((s1 << 128) | s2));
    }

    /// @dev Value of 32 hex digits; `bad` is not zero when one of them is not a hex digit.
    function _bytes16(bytes32 digits) private pure returns (uint256 value, uint256 bad) {
        unchecked {
            uint256 x = uint256(digits);
            // "0" to "9" are 0x30 to 0x39; "A" to "F" and "a" to "f" are 0x41 to 0x46 and 0x61 to 0x66.
            uint256 letter = (x >> 6) & LANES; // one where bit 6 is set
            value = (x & (LANES * 0x0f)) + letter * 9; // at most 0x0f + 9: fits the lane
            // In lower case, the upper half is 3 for a digit and 6 for a letter.
            bad = ((x | (letter << 5)) & (LANES * 0xf0)) ^ ((LANES + letter) * 0x30);
            // The value is at most 15, and at least 10 exactly when it is a letter.
            bad |= (value | ((value + LANES * 6) ^ (letter << 4))) & (LANES * 0x10);

            // Join neighbouring lanes: 4 bits of 8, 8 of 16, ... until 128 bits stand in one piece.
            value = (value | (value >> 4)) & ((type(uint256).max / 0xffff) * 0xff);
            value = (value | (value >> 8)) & ((type(uint256).max / 0xffffffff) * 0xffff);
            value = (value | (value >> 16)) & ((type(uint256).max / 0xffffffffffffffff) * 0xffffffff);
            value = (value | (value >> 32)) & ((type(uint256).max / type(uint128).max) * 0xffffffffffffffff);
            value = (value | (value >> 64)) & type(uint128).max;
        }
    }
}
