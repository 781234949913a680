// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {EventTable} from "../../contracts/EventTable.sol";
import {SessionRegistry} from "../../contracts/SessionRegistry.sol";
import {ISessionRegistry} from "../../contracts/interfaces/ISessionRegistry.sol";
import {PersonalMessage} from "../../contracts/libraries/PersonalMessage.sol";
import {HexText} from "./HexText.sol";
import {Test} from "./Vm.sol";

/// @notice Writes rows at random, into few places so that they meet, and writes down what should stand there.
contract TableHandler is Test {
    uint256 public constant TABLES = 2;
    uint256 public constant ROWS = 4;
    uint256 private constant ACCOUNTS = 3;

    EventTable public immutable table;
    SessionRegistry private immutable registry;
    mapping(uint256 => mapping(uint256 => bytes32)) public digests;
    /// @notice What was allowed that should not have been, or refused that should have been allowed.
    string public fault;

    constructor() {
        registry = new SessionRegistry(address(this), address(this), 60, 15);
        table = new EventTable(registry, address(this), address(this));
    }

    function nameOf(uint256 tab) public pure returns (string memory) {
        return tab == 0 ? "events" : "states";
    }

    function enroll(uint256 seed) external {
        registry.enroll(vm.addr(1 + (seed % ACCOUNTS)), ISessionRegistry.Scope(bound(seed >> 8, 1, 2)));
    }

    function revoke(uint256 seed) external {
        try registry.revoke(vm.addr(1 + (seed % ACCOUNTS))) {} catch {}
    }

    function insert(uint256 seed, bytes calldata row, bool comp) external {
        _write(seed, row, comp, address(this), true);
    }

    function set(uint256 seed, bytes calldata row, bool comp) external {
        _write(seed, row, comp, address(this), false);
    }

    function writeAsStranger(uint256 seed, bytes calldata row, address caller, bool inserts) external {
        _write(seed, row, true, caller, inserts);
    }

    function _write(uint256 seed, bytes calldata row, bool comp, address caller, bool inserts) private {
        (uint256 tab, uint256 rowid) = (seed % TABLES, (seed >> 8) % ROWS);
        uint256 key = 1 + ((seed >> 16) % ACCOUNTS);
        bool allowed =
            registry.scopeOf(vm.addr(key)) == ISessionRegistry.Scope.Full &&
                caller == address(this) &&
                !(inserts && digests[tab][rowid] != 0);
        bool done = _call(nameOf(tab), rowid, row, comp, caller, inserts, _sign(key, row, seed));
        if (done != allowed) fault = done ? "a row was written against the rules" : "a row was refused";
        if (done && allowed) digests[tab][rowid] = keccak256(abi.encode(vm.addr(key), comp, keccak256(row)));
    }

    function _call(
        string memory tabname,
        uint256 rowid,
        bytes calldata row,
        bool comp,
        address caller,
        bool inserts,
        string memory signature
    ) private returns (bool done) {
        bytes memory call =
            inserts
                ? abi.encodeCall(table.insert, (tabname, rowid, row, comp, signature))
                : abi.encodeCall(table.set, (tabname, rowid, row, comp, signature));
        vm.prank(caller);
        (done, ) = address(table).call(call);
    }

    function _sign(uint256 key, bytes calldata row, uint256 upper) private pure returns (string memory) {
        bytes32 digest = PersonalMessage.hash(row);
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, digest);
        return HexText.encode(abi.encodePacked(r, s, v), upper);
    }
}
