// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title Time stamps of hashes
/// @notice Anchors 32-byte hashes: a single hash, or up to 1000 under one Merkle root. The first anchor of a hash
/// is permanent. A repeat returns the first anchor and does not revert, so that a known hash never blocks a queue.
/// @dev Merkle trees use sorted pairs over keccak-256 and the leaves
/// keccak256(bytes.concat(keccak256(abi.encode(hash)))), so that an inner node never verifies as a leaf.
/// The form of the first anchor, single hash or root, is permanent too. A relayer that anchors hashes of untrusted
/// callers should anchor a single hash as a batch of one. Otherwise a caller who can predict the root of a later
/// batch could have it anchored as a single hash, and that batch would not verify.
interface IProofAnchor {
    /// @notice First anchor of a hash or root. One storage slot.
    /// @param time Block time in Unix seconds; 0 when not anchored
    /// @param blockNumber Number of that block
    /// @param size Number of hashes under a Merkle root, 1 to 1000; 0 for a single hash
    struct Anchor {
        uint64 time;
        uint64 blockNumber;
        uint32 size;
    }

    /// @notice Emitted at the first anchor of a hash or root.
    /// @param hash The hash or root
    /// @param size Number of hashes under a root; 0 for a single hash
    event Anchored(bytes32 indexed hash, uint32 size);

    /// @notice Thrown when the hash or root is zero.
    error InvalidHash(bytes32 hash);
    /// @notice Thrown when the size of a batch is 0 or more than 1000.
    error InvalidBatchSize(uint32 size);

    /// @notice Anchors a single hash. Only a relayer.
    /// @param hash The hash; not zero
    /// @return The first anchor of `hash`: the new one, or the earlier one of a repeat
    /// @dev Emits {Anchored} the first time. Reverts with {InvalidHash}.
    function anchor(bytes32 hash) external returns (Anchor memory);

    /// @notice Anchors the Merkle root of a batch. Only a relayer.
    /// @param root The Merkle root; not zero
    /// @param size Number of hashes under the root, 1 to 1000
    /// @return The first anchor of `root`: the new one, or the earlier one of a repeat
    /// @dev Emits {Anchored} the first time. Reverts with {InvalidHash}, {InvalidBatchSize}.
    function anchorBatch(bytes32 root, uint32 size) external returns (Anchor memory);

    /// @notice Returns the first anchor of a hash or root; all zero when there is none.
    /// @param hash The hash or root
    function anchorOf(bytes32 hash) external view returns (Anchor memory);

    /// @notice Returns whether `leaf` was anchored under `root`.
    /// @param leaf The recorded hash: `0x` and `record_hash` of a proof. Not its `merkle.leaf`, for which the
    /// result is false: `verify` computes the double hash of the leaf itself
    /// @param path Sibling hashes from the leaf to the root, `merkle.path`; empty for a proof without `merkle`
    /// @param root An anchored Merkle root, `merkle.root`; or `leaf` itself with an empty path, for a single hash
    function verify(bytes32 leaf, bytes32[] calldata path, bytes32 root) external view returns (bool);
}
