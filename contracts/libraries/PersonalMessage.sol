// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title EIP-191 personal messages
/// @notice Hash that wallets sign for a message of 32 bytes. OpenZeppelin's library needs opcodes that `paris` lacks.
library PersonalMessage {
    /// @notice Returns the hash to sign for a message.
    /// @param message The message
    /// @return The hash to sign
    function hash(bytes32 message) internal pure returns (bytes32) {
        return keccak256(abi.encodePacked("\x19Ethereum Signed Message:\n32", message));
    }
}
