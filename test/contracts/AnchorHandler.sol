// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ProofAnchor} from "../../contracts/ProofAnchor.sol";
import {IProofAnchor} from "../../contracts/interfaces/IProofAnchor.sol";
import {Test} from "./Vm.sol";

/// @notice Anchors few hashes at random, over and over, and writes down when each was first seen.
contract AnchorHandler is Test {
    uint256 public constant HASHES = 8;

    ProofAnchor public immutable anchors;
    mapping(bytes32 => IProofAnchor.Anchor) private _first;
    /// @notice What was allowed that should not have been, or refused that should have been allowed.
    string public fault;

    constructor() {
        anchors = new ProofAnchor(address(this), address(this));
    }

    function hashAt(uint256 index) public pure returns (bytes32) {
        return keccak256(abi.encode(index));
    }

    function first(bytes32 hash) external view returns (IProofAnchor.Anchor memory) {
        return _first[hash];
    }

    function anchor(uint256 seed) external {
        bytes32 hash = hashAt(seed % HASHES);
        _see(hash, 0, anchors.anchor(hash));
    }

    function anchorBatch(uint256 seed, uint32 size) external {
        bytes32 hash = hashAt(seed % HASHES);
        // Around both ends of what is allowed more often than a random number would be.
        size = seed % 3 == 0 ? size : uint32(bound(size, 0, 1002));
        bool allowed = size >= 1 && size <= 1000;
        try anchors.anchorBatch(hash, size) returns (IProofAnchor.Anchor memory anchored) {
            if (!allowed) fault = "a batch of a wrong size";
            _see(hash, size, anchored);
        } catch {
            if (allowed) fault = "a batch refused";
        }
    }

    function anchorAsStranger(uint256 seed, address caller) external {
        if (caller == address(this)) return;
        vm.prank(caller);
        try anchors.anchor(hashAt(seed % HASHES)) {
            fault = "an unauthorized account anchored";
        } catch {}
        vm.prank(caller);
        try anchors.anchorBatch(hashAt(seed % HASHES), 1) {
            fault = "an unauthorized account anchored a batch";
        } catch {}
    }

    function pass(uint256 time) external {
        vm.warp(block.timestamp + bound(time, 1, 1 days));
        vm.roll(block.number + bound(time >> 128, 1, 100));
    }

    function _see(bytes32 hash, uint32 size, IProofAnchor.Anchor memory anchored) private {
        if (_first[hash].time == 0) {
            _first[hash] = IProofAnchor.Anchor(uint64(block.timestamp), uint64(block.number), size);
        }
        if (keccak256(abi.encode(anchored)) != keccak256(abi.encode(_first[hash]))) fault = "not the first anchor";
    }
}
