// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IEventTable} from "../../contracts/interfaces/IEventTable.sol";
import {ISessionRegistry} from "../../contracts/interfaces/ISessionRegistry.sol";
import {PersonalMessage} from "../../contracts/libraries/PersonalMessage.sol";
import {HexText} from "./HexText.sol";
import {InvariantTest, Test} from "./Vm.sol";

/// @notice Writes rows at random, into few places so that they meet, and writes down what should stand there.
contract TableHandler is Test {
    struct Write {
        uint256 seed;
        bool comp;
        address caller;
        bool inserts;
    }

    uint256 public constant TABLES = 2;
    uint256 public constant ROWS = 4;
    uint256 private constant ACCOUNTS = 3;

    IEventTable public immutable table;
    ISessionRegistry private immutable registry;
    mapping(uint256 => mapping(uint256 => bytes32)) public digests;
    /// @notice What was allowed that should not have been, or refused that should have been allowed.
    string public fault;

    constructor() {
        registry = deploySessionRegistry();
        table = deployEventTable(registry);
    }

    function nameOf(uint256 tab) public pure returns (string memory) {
        return tab == 0 ? "events" : "states";
    }

    function enroll(uint256 seed) external {
        ISessionRegistry.Scope scope = ISessionRegistry.Scope(bound(seed >> 8, 1, 2));
        try registry.enroll(vm.addr(1 + (seed % ACCOUNTS)), scope) {} catch {}
    }

    /// @dev One in 16 calls: a revocation is final, and there are few accounts.
    function revoke(uint256 seed) external {
        if (seed % 16 != 0) return;
        try registry.revoke(vm.addr(1 + ((seed >> 8) % ACCOUNTS))) {} catch {}
    }

    function insert(uint256 seed, bytes calldata row, bool comp) external {
        _write(row, Write(seed, comp, address(this), true));
    }

    function set(uint256 seed, bytes calldata row, bool comp) external {
        _write(row, Write(seed, comp, address(this), false));
    }

    function writeAsStranger(uint256 seed, bytes calldata row, address caller, bool inserts) external {
        _write(row, Write(seed, true, caller, inserts));
    }

    function _write(bytes calldata row, Write memory write) private {
        (uint256 tab, uint256 rowid) = (write.seed % TABLES, (write.seed >> 8) % ROWS);
        address signer = vm.addr(_keyOf(write));
        bool allowed =
            registry.scopeOf(signer) == ISessionRegistry.Scope.Full &&
                write.caller == address(this) &&
                !(write.inserts && digests[tab][rowid] != 0);
        bool done = _call(nameOf(tab), rowid, row, write);
        if (done != allowed) fault = done ? "a row was written against the rules" : "a row was refused";
        if (done && allowed) digests[tab][rowid] = keccak256(abi.encode(signer, write.comp, keccak256(row)));
    }

    function _keyOf(Write memory write) private pure returns (uint256) {
        return 1 + ((write.seed >> 16) % ACCOUNTS);
    }

    function _call(
        string memory tabname,
        uint256 rowid,
        bytes calldata row,
        Write memory write
    ) private returns (bool done) {
        bytes4 selector = write.inserts ? table.insert.selector : table.set.selector;
        bytes32 place = keccak256(
            abi.encode(block.chainid, table, keccak256(bytes(tabname)), rowid, write.comp, keccak256(row))
        );
        string memory signature = _sign(_keyOf(write), place, write.seed);
        vm.prank(write.caller);
        (done, ) = address(table).call(abi.encodeWithSelector(selector, tabname, rowid, row, write.comp, signature));
    }

    function _sign(uint256 key, bytes32 digest, uint256 upper) private pure returns (string memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, PersonalMessage.hash(digest));
        return HexText.encode(abi.encodePacked(r, s, v), upper);
    }
}

contract EventTableInvariants is InvariantTest {
    TableHandler private handler;

    function setUp() public {
        handler = new TableHandler();
        callAtRandom(address(handler));
    }

    /// @dev A row changes by an allowed `set` only: `insert` never overwrites, and only relayers write.
    function invariant_rowsAreWhatWasWritten() public view {
        for (uint256 tab = 0; tab < handler.TABLES(); ++tab) {
            for (uint256 rowid = 0; rowid < handler.ROWS(); ++rowid) {
                bytes32 digest = handler.table().digestOf(handler.nameOf(tab), rowid);
                assert(digest == handler.digests(tab, rowid));
            }
        }
    }

    /// @dev Every call was allowed exactly when the rules allow it.
    function invariant_rulesAreKept() public view {
        assert(bytes(handler.fault()).length == 0);
    }
}
