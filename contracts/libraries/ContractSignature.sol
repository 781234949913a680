// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";

/// @title Signatures of contracts
/// @notice Asks a contract, such as a multisig account, whether a signature is its own (ERC-1271). OpenZeppelin's
/// library needs opcodes that `paris` lacks.
library ContractSignature {
    /// @notice Maximum gas of a contract's check: with more, one account could fill the blocks of a chain without fees.
    uint256 internal constant MAX_GAS = 500_000;

    /// @notice Returns whether `signer` accepts a signature within {MAX_GAS}; false for an address without code.
    /// @param signer The contract
    /// @param digest The hash that was signed
    /// @param signature The signature, in the contract's own format
    function isValid(address signer, bytes32 digest, bytes memory signature) internal view returns (bool) {
        // A call by the interface would revert when there is no code, or when the result is no bytes4.
        // slither-disable-start low-level-calls
        // solhint-disable-next-line avoid-low-level-calls
        (bool success, bytes memory result) = signer.staticcall{gas: MAX_GAS}(
            abi.encodeCall(IERC1271.isValidSignature, (digest, signature))
        );
        // slither-disable-end low-level-calls
        // An address without code returns nothing.
        return success && result.length >= 32 && bytes32(result) == bytes32(IERC1271.isValidSignature.selector);
    }
}
