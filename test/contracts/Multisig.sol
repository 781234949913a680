// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";

/// @notice A contract account of two owners, who both sign: the 65 bytes of each, one after the other.
contract Multisig is IERC1271 {
    address private immutable first;
    address private immutable second;

    constructor(address first_, address second_) {
        (first, second) = (first_, second_);
    }

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        bool both =
            signature.length == 130 &&
                signerOf(hash, signature[:65]) == first &&
                signerOf(hash, signature[65:]) == second;
        return both ? IERC1271.isValidSignature.selector : bytes4(0);
    }

    function signerOf(bytes32 hash, bytes calldata signature) private pure returns (address) {
        return ecrecover(hash, uint8(signature[64]), bytes32(signature[:32]), bytes32(signature[32:64]));
    }
}
