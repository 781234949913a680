// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title EIP-191 personal messages
/// @notice The hash that wallets sign for a message. (OpenZeppelin's needs opcodes that `paris` does not have.)
library PersonalMessage {
    /// @notice Hash to sign for a message of 32 bytes.
    function hash(bytes32 message) internal pure returns (bytes32) {
        return keccak256(abi.encodePacked("\x19Ethereum Signed Message:\n32", message));
    }

    /// @notice Hash to sign for a message of any length: the prefix, the length in decimal digits, the message.
    function hash(bytes calldata message) internal pure returns (bytes32 digest) {
        // solhint-disable-next-line no-inline-assembly
        assembly ("memory-safe") {
            let start := mload(0x40) // used as scratch space, so not moved on
            mstore(start, "\x19Ethereum Signed Message:\n")
            let end := add(start, 26)
            // Digits are found last first: shift what is there to the right and put the new one in front.
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
