// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IProofAnchor} from "../../contracts/interfaces/IProofAnchor.sol";
import {InvariantTest, Test} from "./Vm.sol";

contract ProofAnchorTest is Test {
    uint256 private constant MAX_LEAVES = 24;
    IProofAnchor private anchors;

    function setUp() public {
        anchors = deployProofAnchor();
    }

    function leafOf(bytes32 hash) private pure returns (bytes32) {
        return keccak256(bytes.concat(keccak256(abi.encode(hash))));
    }

    function pairOf(bytes32 a, bytes32 b) private pure returns (bytes32) {
        return a < b ? keccak256(abi.encode(a, b)) : keccak256(abi.encode(b, a));
    }

    /// @dev Path of the node at `index` of `level`, up to the root. A node without a sibling moves up.
    function climb(
        bytes32[] memory level,
        uint256 index
    ) private pure returns (bytes32[] memory path, bytes32[] memory passed, bytes32 root) {
        (path, passed) = (new bytes32[](0), new bytes32[](0));
        for (; level.length > 1; index /= 2) {
            if (index ^ 1 < level.length) {
                path = append(path, level[index ^ 1]);
                passed = append(passed, level[index]);
            }
            bytes32[] memory next = new bytes32[]((level.length + 1) / 2);
            for (uint256 i = 0; i < next.length; ++i) {
                next[i] = 2 * i + 1 < level.length ? pairOf(level[2 * i], level[2 * i + 1]) : level[2 * i];
            }
            level = next;
        }
        root = level[0];
    }

    function append(bytes32[] memory list, bytes32 item) private pure returns (bytes32[] memory longer) {
        longer = new bytes32[](list.length + 1);
        for (uint256 i = 0; i < list.length; ++i) longer[i] = list[i];
        longer[list.length] = item;
    }

    function tail(bytes32[] memory list, uint256 from) private pure returns (bytes32[] memory rest) {
        rest = new bytes32[](list.length - from);
        for (uint256 i = from; i < list.length; ++i) rest[i - from] = list[i];
    }

    function testFuzzVerifiesTheHashesOfATreeAndNothingElse(
        bytes32 seed,
        uint256 size,
        uint256 index,
        bytes32 other
    ) public {
        size = bound(size, 1, MAX_LEAVES);
        index = bound(index, 0, size - 1);
        bytes32[] memory leaves = new bytes32[](size);
        for (uint256 i = 0; i < size; ++i) leaves[i] = leafOf(keccak256(abi.encode(seed, i)));
        bytes32 hash = keccak256(abi.encode(seed, index));
        (bytes32[] memory path, bytes32[] memory passed, bytes32 root) = climb(leaves, index);

        assert(!anchors.verify(hash, path, root));
        anchors.anchorBatch(root, uint32(size));
        assert(anchors.verify(hash, path, root));

        // Other hashes, the tree's own nodes, and other roots.
        assert(!anchors.verify(other, path, root));
        for (uint256 i = 0; i < size; ++i) {
            if (i != index) assert(!anchors.verify(keccak256(abi.encode(seed, i)), path, root));
        }
        for (uint256 i = 0; i < passed.length; ++i) {
            assert(!anchors.verify(passed[i], tail(path, i), root));
            assert(!anchors.verify(path[i], tail(path, i + 1), root));
        }
        assert(!anchors.verify(root, new bytes32[](0), root));
        assert(!anchors.verify(hash, path, other));

        // Paths that were changed.
        assert(!anchors.verify(hash, append(path, other), root));
        for (uint256 i = 0; i < path.length; ++i) {
            path[i] ^= bytes32(1 << (uint256(seed) & 255));
            assert(!anchors.verify(hash, path, root));
            path[i] ^= bytes32(1 << (uint256(seed) & 255));
        }
        if (path.length != 0) assert(!anchors.verify(hash, tail(path, 1), root));
    }

    function testFuzzAHashAloneIsNoRoot(bytes32 hash, bytes32 other) public {
        bytes32 root = pairOf(leafOf(hash), other);
        assert(!anchors.verify(root, new bytes32[](0), root));
        anchors.anchor(root);
        bytes32[] memory path = append(new bytes32[](0), other);
        assert(!anchors.verify(hash, path, root));
        assert(anchors.verify(root, new bytes32[](0), root));
        assert(!anchors.verify(root, path, root));
    }
}

/// @notice Anchors few hashes at random, over and over, and writes down when each was first seen.
contract AnchorHandler is Test {
    uint256 public constant HASHES = 8;

    IProofAnchor public immutable anchors;
    mapping(bytes32 => IProofAnchor.Anchor) private _first;
    /// @notice What was allowed that should not have been, or refused that should have been allowed.
    string public fault;

    constructor() {
        anchors = deployProofAnchor();
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

contract ProofAnchorInvariants is InvariantTest {
    AnchorHandler private handler;

    function setUp() public {
        handler = new AnchorHandler();
        callAtRandom(address(handler));
    }

    // Security, relayer: cannot change or remove what is on chain
    function invariant_theFirstTimeStandsForEver() public view {
        for (uint256 i = 0; i < handler.HASHES(); ++i) {
            bytes32 hash = handler.hashAt(i);
            bytes memory anchor = abi.encode(handler.anchors().anchorOf(hash));
            assert(keccak256(anchor) == keccak256(abi.encode(handler.first(hash))));
        }
    }

    /// @dev Every call succeeded exactly when the rules allow it, and returned the first anchor.
    function invariant_rulesAreKept() public view {
        assert(bytes(handler.fault()).length == 0);
    }
}
