// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

// solhint-disable-next-line max-line-length
import {AccessControlDefaultAdminRules} from "@openzeppelin/contracts/access/extensions/AccessControlDefaultAdminRules.sol";
import {MerkleProof} from "@openzeppelin/contracts/utils/cryptography/MerkleProof.sol";
import {IProofAnchor} from "./interfaces/IProofAnchor.sol";

/// @title Time stamps of hashes
/// @notice Implements {IProofAnchor}.
contract ProofAnchor is IProofAnchor, AccessControlDefaultAdminRules {
    /// @notice Role of the accounts that anchor.
    bytes32 public constant RELAYER_ROLE = keccak256("RELAYER_ROLE");
    /// @notice Maximum number of hashes under one root.
    uint32 public constant MAX_BATCH_SIZE = 1000;

    mapping(bytes32 hash => Anchor) private _anchors;

    /// @notice Grants the roles.
    /// @param admin Administrator of the roles
    /// @param adminDelay Seconds before a new administrator can accept the role
    /// @param relayer First relayer
    constructor(address admin, uint48 adminDelay, address relayer) AccessControlDefaultAdminRules(adminDelay, admin) {
        _grantRole(RELAYER_ROLE, relayer);
    }

    /// @inheritdoc IProofAnchor
    function anchor(bytes32 hash) external onlyRole(RELAYER_ROLE) returns (Anchor memory) {
        return _anchorFirst(hash, 0);
    }

    /// @inheritdoc IProofAnchor
    function anchorBatch(bytes32 root, uint32 size) external onlyRole(RELAYER_ROLE) returns (Anchor memory) {
        if (size == 0 || size > MAX_BATCH_SIZE) revert InvalidBatchSize(size);
        return _anchorFirst(root, size);
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

    /// @inheritdoc AccessControlDefaultAdminRules
    function supportsInterface(bytes4 interfaceId) public view override returns (bool) {
        return interfaceId == type(IProofAnchor).interfaceId || super.supportsInterface(interfaceId);
    }

    function _anchorFirst(bytes32 hash, uint32 size) private returns (Anchor memory first) {
        if (hash == bytes32(0)) revert InvalidHash(hash);
        first = _anchors[hash];
        if (first.time != 0) return first;
        first = Anchor(uint64(block.timestamp), uint64(block.number), size);
        _anchors[hash] = first;
        emit Anchored(hash, size);
    }
}
