// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @notice The test runner's cheat codes that are used here.
interface Vm {
    /// @notice Sets the block time.
    function warp(uint256 time) external;
    /// @notice Sets the block number.
    function roll(uint256 number) external;
    /// @notice Makes the next call come from `sender`.
    function prank(address sender) external;
    /// @notice Signs with a private key.
    function sign(uint256 key, bytes32 digest) external pure returns (uint8 v, bytes32 r, bytes32 s);
    /// @notice Address of a private key.
    function addr(uint256 key) external pure returns (address);
    /// @notice Takes another input when the condition does not hold.
    function assume(bool condition) external pure;
    /// @notice Makes the test fail unless the next call reverts with exactly these data.
    function expectRevert(bytes calldata data) external;
}

/// @notice What tests inherit.
abstract contract Test {
    Vm internal constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

    /// @dev `value` brought into the range from `low` to `high`, both included.
    function bound(uint256 value, uint256 low, uint256 high) internal pure returns (uint256) {
        return low + (value % (high - low + 1));
    }
}

/// @notice What invariant tests inherit: only the given contract is called at random.
abstract contract InvariantTest is Test {
    address private _target;

    function targetContracts() external view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = _target;
    }

    function callAtRandom(address target) internal {
        _target = target;
    }
}
