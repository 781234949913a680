// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {MerkleProof} from "@openzeppelin/contracts/utils/cryptography/MerkleProof.sol";
import {IProofAnchor} from "../interfaces/IProofAnchor.sol";

/// @title Anchors for tests
/// @notice Behaves as ProofAnchor, but any account anchors, and at any time: for tests of contracts that use proofs.
/// @dev Proves nothing. Never deploy it where somebody relies on it.
contract ProofAnchorMock is IProofAnchor {
    /// @notice Maximum number of hashes under one root.
    uint32 public constant MAX_BATCH_SIZE = 1000;

    mapping(bytes32 hash => Anchor) private _anchors;

    /// @inheritdoc IProofAnchor
    function anchor(bytes32 hash) external returns (Anchor memory) {
        return anchorAt(hash, 0, uint64(block.timestamp));
    }

    /// @inheritdoc IProofAnchor
    function anchorBatch(bytes32 root, uint32 size) external returns (Anchor memory) {
        if (size == 0) revert InvalidBatchSize(size);
        return anchorAt(root, size, uint64(block.timestamp));
    }

    /// @inheritdoc IProofAnchor
    function anchorOf(bytes32 hash) external view returns (Anchor memory) {
        return _anchors[hash];
    }

    /// @inheritdoc IProofAnchor
    function verify(bytes32 leaf, bytes32[] calldata path, bytes32 root) external view returns (bool) {
        Anchor memory found = _anchors[root];
        if (found.time == 0) return false;
        if (found.size == 0) return leaf == root && path.length == 0;
        return MerkleProof.verifyCalldata(path, root, keccak256(bytes.concat(keccak256(abi.encode(leaf)))));
    }

    /// @notice Anchors a hash or root as if a block of another time had done so.
    /// @param hash The hash or root; not zero
    /// @param size Number of hashes under a root, 1 to 1000; 0 for a single hash
    /// @param time Time of the anchor in Unix seconds; its block number is that of this block
    /// @return first The first anchor of `hash`: the new one, or the earlier one of a repeat
    /// @dev Emits {Anchored} the first time. Reverts with {InvalidHash}, {InvalidBatchSize}.
    function anchorAt(bytes32 hash, uint32 size, uint64 time) public returns (Anchor memory first) {
        if (hash == bytes32(0)) revert InvalidHash(hash);
        if (size > MAX_BATCH_SIZE) revert InvalidBatchSize(size);
        first = _anchors[hash];
        if (first.time != 0) return first;
        first = Anchor(time, uint64(block.number), size);
        _anchors[hash] = first;
        emit Anchored(hash, size);
    }
}
