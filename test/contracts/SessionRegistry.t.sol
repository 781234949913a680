// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IAccessControl} from "@openzeppelin/contracts/access/IAccessControl.sol";
import {ISessionRegistry} from "../../contracts/interfaces/ISessionRegistry.sol";
import {PersonalMessage} from "../../contracts/libraries/PersonalMessage.sol";
import {Test} from "./Vm.sol";

contract SessionRegistryTest is Test {
    ISessionRegistry private registry;

    function setUp() public {
        vm.warp(1_700_000_000);
        registry = deploySessionRegistry();
        registry.enroll(vm.addr(1), ISessionRegistry.Scope.Full);
    }

    function open(bytes32 tokenHash) private {
        bytes32 digest = PersonalMessage.hash(registry.openingDigest(vm.addr(1), tokenHash));
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(1, digest);
        registry.open(vm.addr(1), tokenHash, abi.encodePacked(r, s, v));
    }

    function testFuzzLivesForItsLifetimeExactly(bytes32 tokenHash, uint32 lifetime, uint32 wait) public {
        vm.assume(tokenHash != 0 && lifetime != 0);
        registry.setLifetime(lifetime, 0);
        open(tokenHash);
        vm.warp(block.timestamp + wait);
        assert(registry.isLive(tokenHash) == (wait < lifetime));
    }

    function testFuzzExtendsWithMoreThanTheMinimumLeft(uint8 minimum, uint8 more, uint16 wait) public {
        uint32 lifetime = uint32(minimum) + more + 1;
        registry.setLifetime(lifetime, minimum);
        open("a");
        registry.validate("a", "b");
        vm.warp(block.timestamp + (wait %= uint16(lifetime)));
        uint64 remaining = lifetime - wait;
        if (remaining <= minimum) {
            vm.expectRevert(
                abi.encodeWithSelector(ISessionRegistry.TooLateToExtend.selector, bytes32("b"), remaining, minimum)
            );
        }
        registry.extend("b", "c");
        if (remaining > minimum) {
            assert(registry.sessionOf("c").expiresAt == block.timestamp + lifetime);
            assert(!registry.isLive("b") && registry.isLive("c"));
        }
    }

    function testFuzzOnlyTheAccountOpens(uint256 key, bytes32 tokenHash) public {
        key = bound(key, 2, type(uint128).max);
        vm.assume(tokenHash != 0);
        bytes32 digest = PersonalMessage.hash(registry.openingDigest(vm.addr(1), tokenHash));
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, digest);
        vm.expectRevert(abi.encodeWithSelector(ISessionRegistry.WrongSigner.selector, vm.addr(1), vm.addr(key)));
        registry.open(vm.addr(1), tokenHash, abi.encodePacked(r, s, v));
    }

    function testFuzzOnlyRelayersWrite(address caller, bytes32 a, bytes32 b) public {
        vm.assume(caller != address(this));
        bytes[4] memory calls = [
            abi.encodeCall(registry.open, (caller, a, "")),
            abi.encodeCall(registry.validate, (a, b)),
            abi.encodeCall(registry.extend, (a, b)),
            abi.encodeCall(registry.close, (a))
        ];
        for (uint256 i = 0; i < calls.length; ++i) expectRefusal(caller, calls[i], keccak256("RELAYER_ROLE"));
    }

    function testFuzzOnlyRegistrarsEnrol(address caller, address account) public {
        vm.assume(caller != address(this));
        bytes memory enroll = abi.encodeCall(registry.enroll, (account, ISessionRegistry.Scope.Full));
        expectRefusal(caller, enroll, keccak256("REGISTRAR_ROLE"));
        expectRefusal(caller, abi.encodeCall(registry.revoke, (account)), keccak256("REGISTRAR_ROLE"));
    }

    function expectRefusal(address caller, bytes memory call, bytes32 role) private {
        vm.prank(caller);
        (bool done, bytes memory reason) = address(registry).call(call);
        assert(!done);
        bytes4 refusal = IAccessControl.AccessControlUnauthorizedAccount.selector;
        assert(keccak256(reason) == keccak256(abi.encodeWithSelector(refusal, caller, role)));
    }
}
