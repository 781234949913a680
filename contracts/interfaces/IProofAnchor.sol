// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title Which hashes were seen when
/// @notice Anchors 32-byte hashes, alone or up to 1000 under one Merkle root. The first time a hash is seen
/// stands for ever; a repeat does not revert, so that one known hash can never block a lane.
/// @dev Merkle trees have sorted pairs over keccak-256, and leaves
/// keccak256(bytes.concat(keccak256(abi.encode(hash)))), so that no inner node can pose as a leaf.
/// What a value was first anchored as, alone or as a root, stands too. A relayer that anchors hashes of strangers
/// should anchor a single one as a batch of one: a stranger could otherwise have the root of a later batch, if it
/// can be foreseen, anchored alone, and that batch would not verify.
interface IProofAnchor {
    /// @notice When a hash or root was first seen. One storage slot.
    /// @param time Block time in Unix seconds; 0 when never seen
    /// @param blockNumber Number of that block
    /// @param size Number of hashes under a Merkle root, 1 to 1000; 0 for a hash anchored alone
    struct Anchor {
        uint64 time;
        uint64 blockNumber;
        uint32 size;
    }

    /// @notice Emitted the first time a hash or root is anchored; `size` as in {Anchor}.
    event Anchored(bytes32 indexed hash, uint32 size);

    /// @notice Thrown when the hash or root is zero.
    error InvalidHash(bytes32 hash);
    /// @notice Thrown when a batch holds no hash or more than 1000.
    error InvalidBatchSize(uint32 size);

    /// @notice Anchors one hash. Only a relayer.
    /// @return The first anchor of `hash`: this one, or the earlier one of a repeat
    /// @dev Emits {Anchored} the first time. Reverts with {InvalidHash}.
    function anchor(bytes32 hash) external returns (Anchor memory);

    /// @notice Anchors the Merkle root of `size` hashes, 1 to 1000. Only a relayer.
    /// @return The first anchor of `root`: this one, or the earlier one of a repeat
    /// @dev Emits {Anchored} the first time. Reverts with {InvalidHash}, {InvalidBatchSize}.
    function anchorBatch(bytes32 root, uint32 size) external returns (Anchor memory);

    /// @notice The first anchor of a hash or root; all zero when there is none.
    function anchorOf(bytes32 hash) external view returns (Anchor memory);

    /// @notice Whether `leaf` was anchored under `root`.
    /// @param leaf The hash that was put into the tree (it is double-hashed here, not by the caller)
    /// @param path Sibling hashes from the leaf's level up to the root
    /// @param root An anchored Merkle root; or `leaf` itself, with an empty path, for a hash anchored alone
    function verify(bytes32 leaf, bytes32[] calldata path, bytes32 root) external view returns (bool);
}
