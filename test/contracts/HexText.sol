// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @notice Hex text, written digit by digit: the plain counterpart of what the contracts read 32 digits at a time.
library HexText {
    /// @param upper A digit is in upper case when its bit here is set
    function encode(bytes memory data, uint256 upper) internal pure returns (string memory) {
        bytes memory text = new bytes(2 + 2 * data.length);
        (text[0], text[1]) = ("0", "x");
        for (uint256 i = 0; i < 2 * data.length; ++i) {
            uint8 nibble = i % 2 == 0 ? uint8(data[i / 2]) >> 4 : uint8(data[i / 2]) & 15;
            bytes16 digits = (upper >> (i % 256)) & 1 == 1 ? bytes16("0123456789ABCDEF") : bytes16("0123456789abcdef");
            text[2 + i] = digits[nibble];
        }
        return string(text);
    }
}
