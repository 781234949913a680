// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ISessionRegistry} from "../../contracts/interfaces/ISessionRegistry.sol";
import {PersonalMessage} from "../../contracts/libraries/PersonalMessage.sol";
import {InvariantTest, Test} from "./Vm.sol";

/// @notice Calls a registry at random, live sessions and dead ones alike, with current tokens and former ones, and
/// writes down by its own reckoning what became of every session.
contract SessionHandler is Test {
    /// @dev `endsAt` is counted from the opening or extension, and never looked up.
    struct Record {
        uint256 account;
        bytes32 token;
        uint256 endsAt;
        bool validated;
        bool ended;
        bool revoked;
    }

    uint256 private constant ACCOUNTS = 3;
    uint256 private constant MAX_SESSIONS = 20;

    ISessionRegistry public immutable registry;
    bytes32[] public sessions;
    mapping(bytes32 => Record) public records;
    mapping(uint256 => bool) private revoked;
    /// @notice What was allowed that should not have been, or refused that should have been allowed.
    string public fault;
    uint256 private tokens;

    constructor() {
        registry = deploySessionRegistry();
        for (uint256 i = 0; i < ACCOUNTS; ++i) registry.enroll(accountAt(i), ISessionRegistry.Scope.Full);
    }

    function accountAt(uint256 index) public pure returns (address) {
        return vm.addr(index + 1);
    }

    function count() external view returns (uint256) {
        return sessions.length;
    }

    function isLive(bytes32 session) public view returns (bool) {
        Record memory record = records[session];
        return !record.ended && !record.revoked && block.timestamp < record.endsAt;
    }

    function open(uint256 seed, bool reuse, bool late) external {
        if (sessions.length >= MAX_SESSIONS) return;
        uint256 account = seed % ACCOUNTS;
        bytes32 token = reuse && sessions.length > 0 ? records[_pick(seed)].token : _fresh();
        bytes32 session = registry.sessionIdOf(accountAt(account), token);
        uint64 deadline = uint64(block.timestamp) - (late ? 1 : 0);
        bytes32 digest = PersonalMessage.hash(registry.openingDigest(accountAt(account), token, deadline));
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(account + 1, digest);
        bool allowed = !revoked[account] && !late && records[session].endsAt == 0;
        try registry.open(accountAt(account), token, deadline, abi.encodePacked(r, s, v)) {
            if (!allowed) fault = "open of a used hash, for a revoked account, or too late";
            sessions.push(session);
            records[session] = Record(account, token, block.timestamp + registry.lifetime(), false, false, false);
        } catch {
            if (allowed) fault = "open refused";
        }
    }

    function validate(uint256 seed, bool stale) external {
        bytes32 session = _pick(seed);
        bytes32 token = _tokenOf(session, stale);
        bool allowed = isLive(session) && !stale;
        bytes32 next = _fresh();
        try registry.validate(session, token, next) {
            if (!allowed) fault = "validate of a dead session, or with a replaced token";
            records[session].validated = true;
            records[session].token = next;
        } catch {
            if (allowed) fault = "validate refused";
        }
    }

    function extend(uint256 seed, bool stale) external {
        bytes32 session = _pick(seed);
        bytes32 token = _tokenOf(session, stale);
        Record memory record = records[session];
        bool early = record.endsAt > block.timestamp + registry.minimumToExtend();
        bool allowed = isLive(session) && record.validated && early && !stale;
        bytes32 next = _fresh();
        try registry.extend(session, token, next) {
            if (!allowed) fault = "extend of a dead session, not validated, too late, or with a replaced token";
            record.validated = false;
            record.endsAt = block.timestamp + registry.lifetime();
            record.token = next;
            records[session] = record;
        } catch {
            if (allowed) fault = "extend refused";
        }
    }

    function replaceByTheSame(uint256 seed, bool extends_) external {
        bytes32 session = _pick(seed);
        bytes32 token = records[session].token;
        bytes memory call =
            extends_
                ? abi.encodeCall(registry.extend, (session, token, token))
                : abi.encodeCall(registry.validate, (session, token, token));
        (bool done, ) = address(registry).call(call);
        if (done) fault = "a token was replaced by itself";
    }

    function close(uint256 seed, bool stale) external {
        bytes32 session = _pick(seed);
        bool allowed = isLive(session) && !stale;
        try registry.close(session, _tokenOf(session, stale)) {
            if (!allowed) fault = "close of a dead session, or with a replaced token";
            records[session].ended = true;
        } catch {
            if (allowed) fault = "close refused";
        }
    }

    /// @dev One in 16 calls: a revocation is final, and there are few accounts.
    function revoke(uint256 seed) external {
        if (seed % 16 != 0) return;
        uint256 account = (seed >> 8) % ACCOUNTS;
        try registry.revoke(accountAt(account)) {
            if (revoked[account]) fault = "a revoked account was revoked again";
            revoked[account] = true;
            for (uint256 i = 0; i < sessions.length; ++i) {
                if (records[sessions[i]].account == account) records[sessions[i]].revoked = true;
            }
        } catch {
            if (!revoked[account]) fault = "revoke refused";
        }
    }

    function enroll(uint256 seed) external {
        uint256 account = seed % ACCOUNTS;
        try registry.enroll(accountAt(account), ISessionRegistry.Scope(bound(seed >> 8, 1, 2))) {
            if (revoked[account]) fault = "a revoked account was enrolled";
        } catch {
            if (!revoked[account]) fault = "enroll refused";
        }
    }

    function pass(uint256 time) external {
        vm.warp(block.timestamp + bound(time, 1, 25));
    }

    function setLifetime(uint256 seed) external {
        uint256 minimum = bound(seed, 0, 30);
        registry.setLifetime(uint32(minimum + bound(seed >> 8, 1, 90)), uint32(minimum));
    }

    function _fresh() private returns (bytes32) {
        return keccak256(abi.encode(++tokens));
    }

    /// @dev The current token, or one that never was or is no longer.
    function _tokenOf(bytes32 session, bool stale) private view returns (bytes32) {
        return stale ? keccak256(abi.encode(records[session].token)) : records[session].token;
    }

    function _pick(uint256 seed) private view returns (bytes32) {
        return sessions.length == 0 ? bytes32(0) : sessions[seed % sessions.length];
    }
}

contract SessionRegistryInvariants is InvariantTest {
    SessionHandler private handler;
    ISessionRegistry private registry;

    function setUp() public {
        vm.warp(1_700_000_000);
        handler = new SessionHandler();
        registry = handler.registry();
        callAtRandom(address(handler));
    }

    /// @dev Closed or revoked: such a session is never live again.
    function invariant_endedIsForEver() public view {
        for (uint256 i = 0; i < handler.count(); ++i) {
            bytes32 session = handler.sessions(i);
            (, bytes32 token, , , bool ended, bool revoked) = handler.records(session);
            assert(registry.sessionOf(session).ended == ended);
            assert(!((ended || revoked) && registry.isLive(session, token)));
        }
    }

    /// @dev Nothing but an extension gives a session more time.
    function invariant_noSessionOutlivesItsLifetime() public view {
        for (uint256 i = 0; i < handler.count(); ++i) {
            bytes32 session = handler.sessions(i);
            (, bytes32 token, uint256 endsAt, , , ) = handler.records(session);
            assert(registry.sessionOf(session).expiresAt == endsAt);
            assert(!(block.timestamp >= endsAt && registry.isLive(session, token)));
        }
    }

    /// @dev Every call was allowed exactly when the rules allow it; that covers when a session is extended.
    function invariant_rulesAreKept() public view {
        assert(bytes(handler.fault()).length == 0);
        for (uint256 i = 0; i < handler.count(); ++i) {
            bytes32 session = handler.sessions(i);
            (uint256 account, bytes32 token, , bool validated, , ) = handler.records(session);
            ISessionRegistry.Session memory stored = registry.sessionOf(session);
            assert(stored.account == handler.accountAt(account));
            assert(stored.validated == validated);
            assert(registry.isLive(session, token) == handler.isLive(session));
            assert(!registry.isLive(session, keccak256(abi.encode(token))));
        }
    }
}
