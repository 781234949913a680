// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title EIP-191 personal messages
/// @notice Hash that wallets sign for a message. OpenZeppelin's library needs opcodes that `paris` lacks.
library PersonalMessage {
    /// @notice Returns the hash to sign for a message of 32 bytes.
    /// @param message The message
    /// @return The hash to sign
    function hash(bytes32 message) internal pure returns (bytes32) {
        return keccak256(abi.encodePacked("\x19Ethereum Signed Message:\n32", message));
    }

    /// @notice Returns the hash to sign for a message of any length: prefix, length in decimal digits, message.
    /// @param message The message
    /// @return digest The hash to sign
    function hash(bytes calldata message) internal pure returns (bytes32 digest) {
        // solhint-disable-next-line no-inline-assembly
        assembly ("memory-safe") {
            let start := mload(0x40) // scratch space: the free memory pointer stays
            mstore(start, "\x19Ethereum Signed Message:\n")
            let end := add(start, 26)
            // Computes the digits from the last one: shifts the others right and puts each new digit in front.
            let digits := 0
            let rest := message.length
            for {} 1 {} {
                digits := or(shr(8, digits), shl(248, add(48, mod(rest, 10))))
                rest := div(rest, 10)
                if iszero(rest) {
                    break
                }
            }
            mstore(end, digits)
            for {} digits {
                digits := shl(8, digits)
            } {
                end := add(end, 1)
            }
            calldatacopy(end, message.offset, message.length)
            digest := keccak256(start, sub(add(end, message.length), start))
        }
    }
}
