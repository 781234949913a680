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

    function sign(uint256 key, bytes32 tokenHash, uint64 deadline) private view returns (bytes memory) {
        bytes32 digest = registry.openingDigest(vm.addr(1), tokenHash, deadline);
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, PersonalMessage.hash(digest));
        return abi.encodePacked(r, s, v);
    }

    function open(bytes32 tokenHash) private returns (bytes32 session) {
        uint64 deadline = uint64(block.timestamp);
        registry.open(vm.addr(1), tokenHash, deadline, sign(1, tokenHash, deadline));
        return registry.sessionIdOf(vm.addr(1), tokenHash);
    }

    function testFuzzLivesForItsLifetimeExactly(bytes32 tokenHash, uint32 lifetime, uint32 wait) public {
        vm.assume(tokenHash != 0);
        lifetime = uint32(bound(lifetime, 1, 1 days));
        wait = uint32(bound(wait, 0, 2 * uint256(lifetime)));
        registry.setLifetime(lifetime, 0);
        bytes32 session = open(tokenHash);
        vm.warp(block.timestamp + wait);
        assert(registry.isLive(session, tokenHash) == (wait < lifetime));
    }

    function testFuzzLifetimeIsAtMostADay(uint32 lifetime, uint32 minimum) public {
        bool allowed = lifetime > minimum && lifetime <= 1 days;
        try registry.setLifetime(lifetime, minimum) {
            assert(allowed && registry.lifetime() == lifetime && registry.minimumToExtend() == minimum);
        } catch {
            assert(!allowed);
        }
    }

    function testFuzzExtendsWithMoreThanTheMinimumLeft(uint8 minimum, uint8 more, uint16 wait) public {
        uint32 lifetime = uint32(minimum) + more + 1;
        registry.setLifetime(lifetime, minimum);
        bytes32 session = open("a");
        registry.validate(session, "a", "b");
        vm.warp(block.timestamp + (wait %= uint16(lifetime)));
        uint64 remaining = lifetime - wait;
        if (remaining <= minimum) {
            vm.expectRevert(
                abi.encodeWithSelector(ISessionRegistry.TooLateToExtend.selector, session, remaining, minimum)
            );
        }
        registry.extend(session, "b", "c");
        if (remaining > minimum) {
            assert(registry.sessionOf(session).expiresAt == block.timestamp + lifetime);
            assert(!registry.isLive(session, "b") && registry.isLive(session, "c"));
        }
    }

    function testFuzzOnlyTheAccountOpens(uint256 key, bytes32 tokenHash) public {
        key = bound(key, 2, type(uint128).max);
        vm.assume(tokenHash != 0);
        uint64 deadline = uint64(block.timestamp);
        bytes memory signature = sign(key, tokenHash, deadline);
        vm.expectRevert(abi.encodeWithSelector(ISessionRegistry.WrongSigner.selector, vm.addr(1), vm.addr(key)));
        registry.open(vm.addr(1), tokenHash, deadline, signature);
    }

    function testFuzzOpensUntilTheDeadline(bytes32 tokenHash, uint32 before, uint32 wait) public {
        vm.assume(tokenHash != 0);
        uint64 deadline = uint64(block.timestamp) + before;
        bytes memory signature = sign(1, tokenHash, deadline);
        vm.warp(block.timestamp + wait);
        if (wait > before) {
            vm.expectRevert(abi.encodeWithSelector(ISessionRegistry.OpeningExpired.selector, deadline));
        }
        registry.open(vm.addr(1), tokenHash, deadline, signature);
    }

    function testFuzzTheIdentifierStartsWithTheAccount(address account, bytes32 tokenHash) public view {
        bytes32 session = registry.sessionIdOf(account, tokenHash);
        assert(session == bytes32(abi.encodePacked(account, bytes12(tokenHash))));
    }

    function testFuzzOnlyRelayersWrite(address caller, bytes32 a, bytes32 b, bytes32 c) public {
        vm.assume(caller != address(this));
        bytes[4] memory calls = [
            abi.encodeCall(registry.open, (caller, a, 0, "")),
            abi.encodeCall(registry.validate, (a, b, c)),
            abi.encodeCall(registry.extend, (a, b, c)),
            abi.encodeCall(registry.close, (a, b))
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
