// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title EIP-191 personal messages
/// @notice The hash that wallets sign for a message. (OpenZeppelin's needs opcodes that `paris` does not have.)
library PersonalMessage {
    /// @notice Hash to sign for a message of 32 bytes.
    function hash(bytes32 message) internal pure returns (bytes32) {
        return keccak256(abi.encodePacked("\x19Ethereum Signed Message:\n32", message));
    }

    /// @notice Hash to sign for a message of any length.
    function hash(bytes calldata message) internal pure returns (bytes32) {
        return keccak256(abi.encodePacked("\x19Ethereum Signed Message:\n", _decimal(message.length), message));
    }

    /// @dev `value` in decimal digits, without leading zeros.
    function _decimal(uint256 value) private pure returns (bytes memory digits) {
        uint256 count = 1;
        for (uint256 rest = value; rest >= 10; rest /= 10) ++count;
        digits = new bytes(count);
        for (; count != 0; value /= 10) digits[--count] = bytes1(uint8(48 + (value % 10)));
    }
}
