// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IEventTable} from "../../contracts/interfaces/IEventTable.sol";
import {ISessionRegistry} from "../../contracts/interfaces/ISessionRegistry.sol";
import {PersonalMessage} from "../../contracts/libraries/PersonalMessage.sol";
import {HexText} from "./HexText.sol";
import {Multisig} from "./Multisig.sol";
import {Test} from "./Vm.sol";

/// @notice A multisig account stores rows and opens sessions like any other (ERC-1271).
contract MultisigTest is Test {
    ISessionRegistry private registry;
    IEventTable private table;
    address private account;

    function setUp() public {
        registry = deploySessionRegistry();
        table = deployEventTable(registry);
        account = address(new Multisig(vm.addr(1), vm.addr(2)));
        registry.enroll(account, ISessionRegistry.Scope.Full);
    }

    function sign(uint256 key, bytes32 digest) private pure returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, PersonalMessage.hash(digest));
        return abi.encodePacked(r, s, v);
    }

    function textOf(bytes memory signatures, uint256 upper) private view returns (string memory) {
        return HexText.encode(abi.encodePacked(account, signatures), upper);
    }

    function testFuzzWritesARowWithBothSignatures(bytes calldata row, uint256 rowid, bool comp, uint256 upper) public {
        bytes32 digest = table.signingDigest("events", rowid, row, comp);
        table.insert("events", rowid, row, comp, textOf(abi.encodePacked(sign(1, digest), sign(2, digest)), upper));
        assert(table.digestOf("events", rowid) == keccak256(abi.encode(account, comp, keccak256(row))));
    }

    function testFuzzWritesNoRowWithOtherSignatures(bytes calldata row, uint256 rowid, bool comp) public {
        bytes32 digest = table.signingDigest("events", rowid, row, comp);
        bytes32 other = table.signingDigest("others", rowid, row, comp);
        bytes[4] memory refused = [
            sign(1, digest),
            abi.encodePacked(sign(1, digest), sign(1, digest)),
            abi.encodePacked(sign(2, digest), sign(1, digest)),
            abi.encodePacked(sign(1, other), sign(2, other))
        ];
        for (uint256 i = 0; i < refused.length; ++i) {
            string memory text = textOf(refused[i], 0);
            vm.expectRevert(abi.encodeWithSelector(IEventTable.InvalidSignature.selector, text));
            table.insert("events", rowid, row, comp, text);
        }
    }

    function testFuzzOpensASessionWithBothSignatures(bytes32 token, uint64 deadline) public {
        vm.assume(token != 0);
        deadline = uint64(bound(deadline, block.timestamp, type(uint64).max));
        bytes32 digest = registry.openingDigest(account, token, deadline);
        bytes memory one = sign(1, digest);
        vm.expectRevert(abi.encodeWithSelector(ISessionRegistry.WrongSigner.selector, account, vm.addr(1)));
        registry.open(account, token, deadline, one);
        registry.open(account, token, deadline, abi.encodePacked(one, sign(2, digest)));
        assert(registry.isLive(registry.sessionIdOf(account, token), token));
    }
}
