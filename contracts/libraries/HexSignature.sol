// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title Signatures as hex text
/// @notice Two forms: the 65 bytes of an account's own signature, and the 20 bytes of a contract's address with the
/// bytes that this contract checks (ERC-1271). 65 bytes are always the first form. Reads 32 hex digits at a time: the
/// 32 bytes of a word are lanes, checked and converted in parallel. No step carries from one lane into the next.
library HexSignature {
    /// @dev A byte of value one in every lane; times n, a byte of value n in every lane.
    uint256 private constant LANES = type(uint256).max / 0xff;

    uint256 private constant ACCOUNT_FORM = 132;
    uint256 private constant ADDRESS_END = 42;

    /// @notice Returns whether a text has the length of the form with a contract's address.
    /// @param text The hex text
    function isContractForm(string calldata text) internal pure returns (bool) {
        return bytes(text).length >= ADDRESS_END && bytes(text).length != ACCOUNT_FORM;
    }

    /// @notice Reads a contract's address and its signature from `0x` and pairs of hex digits, upper or lower case.
    /// @param text The hex text, of 42 characters or more
    /// @return signer The contract; the zero address when `text` is anything else
    /// @return signature The bytes after the address
    function parseContract(string calldata text) internal pure returns (address signer, bytes memory signature) {
        uint256 end = bytes(text).length;
        if (end % 2 != 0 || bytes2(bytes(text)) != "0x") return (address(0), "");
        bytes memory data = new bytes(end / 2 + 32); // room for the last word that is written
        uint256 allBad = 0;
        for (uint256 start = 2; start < end; start += 32) {
            // Digits after the end count as "0".
            uint256 digits = uint256(bytes32(bytes(text)[start:])) | ((LANES * 0x30) >> (8 * (end - start)));
            (uint256 value, uint256 bad) = _bytes16(bytes32(digits));
            allBad |= bad;
            // solhint-disable-next-line no-inline-assembly
            assembly ("memory-safe") {
                mstore(add(add(data, 31), div(start, 2)), shl(128, value))
            }
        }
        if (allBad != 0) return (address(0), "");
        signer = address(bytes20(data));
        // solhint-disable-next-line no-inline-assembly
        assembly ("memory-safe") {
            // The length of the signature takes the place of the address in front of it.
            signature := add(data, 20)
            mstore(signature, sub(div(end, 2), 21))
        }
    }

    /// @notice Reads the 65 bytes of a signature from `0x` and 130 hex digits, upper or lower case.
    /// @param text The hex text
    /// @return v 27 or 28; zero, like `r` and `s`, when `text` is anything else
    /// @return r First 32 bytes
    /// @return s Next 32 bytes
    function parse(string calldata text) internal pure returns (uint8 v, bytes32 r, bytes32 s) {
        if (bytes(text).length != ACCOUNT_FORM || bytes2(bytes(text)) != "0x") return (0, 0, 0);
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
