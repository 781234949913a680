// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IEventTable} from "../../contracts/interfaces/IEventTable.sol";
import {IProofAnchor} from "../../contracts/interfaces/IProofAnchor.sol";
import {ISessionRegistry} from "../../contracts/interfaces/ISessionRegistry.sol";

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
    /// @notice Creation code of a contract of the build, as `File.sol:Contract`.
    function getCode(string calldata artifact) external view returns (bytes memory);
}

/// @notice What tests inherit.
abstract contract Test {
    Vm internal constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

    uint48 internal constant ADMIN_DELAY = 1 days;

    /// @dev `value` brought into the range from `low` to `high`, both included.
    function bound(uint256 value, uint256 low, uint256 high) internal pure returns (uint256) {
        return low + (value % (high - low + 1));
    }

    /// @dev Deploys what the build holds, which is what anybody deploys; a `new` would compile it once more.
    function deployBuilt(string memory artifact, bytes memory arguments) internal returns (address deployed) {
        bytes memory code = abi.encodePacked(vm.getCode(artifact), arguments);
        // solhint-disable-next-line no-inline-assembly
        assembly ("memory-safe") {
            deployed := create(0, add(code, 32), mload(code))
        }
        assert(deployed != address(0));
    }

    function deployProofAnchor() internal returns (IProofAnchor) {
        bytes memory arguments = abi.encode(address(this), ADMIN_DELAY, address(this));
        return IProofAnchor(deployBuilt("ProofAnchor.sol:ProofAnchor", arguments));
    }

    function deploySessionRegistry() internal returns (ISessionRegistry) {
        bytes memory arguments = abi.encode(address(this), ADMIN_DELAY, address(this), 60, 15);
        return ISessionRegistry(deployBuilt("SessionRegistry.sol:SessionRegistry", arguments));
    }

    function deployEventTable(ISessionRegistry registry) internal returns (IEventTable) {
        bytes memory arguments = abi.encode(registry, address(this), ADMIN_DELAY, address(this));
        return IEventTable(deployBuilt("EventTable.sol:EventTable", arguments));
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
