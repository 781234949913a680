// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ISessionRegistry} from "../../contracts/interfaces/ISessionRegistry.sol";
import {PersonalMessage} from "../../contracts/libraries/PersonalMessage.sol";
import {InvariantTest, Test} from "./Vm.sol";

/// @notice Calls a registry at random, live sessions and dead ones alike, and writes down by its own reckoning
/// what became of every token hash.
contract SessionHandler is Test {
    /// @dev `endsAt` is counted from the opening or extension, and never looked up.
    struct Record {
        uint256 account;
        uint256 endsAt;
        bool validated;
        bool ended;
        bool revoked;
    }

    uint256 private constant ACCOUNTS = 3;
    uint256 private constant MAX_HASHES = 60;

    ISessionRegistry public immutable registry;
    bytes32[] public hashes;
    mapping(bytes32 => Record) public records;
    /// @notice What was allowed that should not have been, or refused that should have been allowed.
    string public fault;

    constructor() {
        registry = deploySessionRegistry();
        for (uint256 i = 0; i < ACCOUNTS; ++i) registry.enroll(accountAt(i), ISessionRegistry.Scope.Full);
    }

    function accountAt(uint256 index) public pure returns (address) {
        return vm.addr(index + 1);
    }

    function count() external view returns (uint256) {
        return hashes.length;
    }

    function isLive(bytes32 tokenHash) public view returns (bool) {
        Record memory record = records[tokenHash];
        return !record.ended && !record.revoked && block.timestamp < record.endsAt;
    }

    function open(uint256 seed, bool reuse) external {
        uint256 account = seed % ACCOUNTS;
        bytes32 tokenHash = reuse ? _pick(seed) : _fresh();
        bytes32 digest = PersonalMessage.hash(registry.openingDigest(accountAt(account), tokenHash));
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(account + 1, digest);
        bool enrolled = registry.scopeOf(accountAt(account)) != ISessionRegistry.Scope.None;
        bool allowed = enrolled && !_known(tokenHash) && hashes.length < MAX_HASHES;
        if (!_known(tokenHash) && !allowed && enrolled) return;
        try registry.open(accountAt(account), tokenHash, abi.encodePacked(r, s, v)) {
            if (!allowed) fault = "open of a used hash, or for a revoked account";
            _add(tokenHash, Record(account, block.timestamp + registry.lifetime(), false, false, false));
        } catch {
            if (allowed) fault = "open refused";
        }
    }

    function validate(uint256 seed, bool reuse) external {
        if (hashes.length >= MAX_HASHES) return;
        (bytes32 tokenHash, bytes32 newHash) = (_pick(seed), reuse ? _pick(seed >> 8) : _fresh());
        bool allowed = isLive(tokenHash) && !_known(newHash);
        try registry.validate(tokenHash, newHash) {
            if (!allowed) fault = "validate of a dead session, or to a used hash";
            Record memory next = records[tokenHash];
            next.validated = true;
            records[tokenHash].ended = true;
            _add(newHash, next);
        } catch {
            if (allowed) fault = "validate refused";
        }
    }

    function extend(uint256 seed, bool reuse) external {
        if (hashes.length >= MAX_HASHES) return;
        (bytes32 tokenHash, bytes32 newHash) = (_pick(seed), reuse ? _pick(seed >> 8) : _fresh());
        Record memory next = records[tokenHash];
        bool early = next.endsAt > block.timestamp + registry.minimumToExtend();
        bool allowed = isLive(tokenHash) && next.validated && early && !_known(newHash);
        try registry.extend(tokenHash, newHash) {
            if (!allowed) fault = "extend of a dead session, not validated, too late, or to a used hash";
            next.validated = false;
            next.endsAt = block.timestamp + registry.lifetime();
            records[tokenHash].ended = true;
            _add(newHash, next);
        } catch {
            if (allowed) fault = "extend refused";
        }
    }

    function close(uint256 seed) external {
        bytes32 tokenHash = _pick(seed);
        bool allowed = isLive(tokenHash);
        try registry.close(tokenHash) {
            if (!allowed) fault = "close of a dead session";
            records[tokenHash].ended = true;
        } catch {
            if (allowed) fault = "close refused";
        }
    }

    /// @dev One in four calls, or hardly a session would get old.
    function revoke(uint256 seed) external {
        if (seed % 4 != 0) return;
        uint256 account = (seed >> 8) % ACCOUNTS;
        try registry.revoke(accountAt(account)) {
            for (uint256 i = 0; i < hashes.length; ++i) {
                if (records[hashes[i]].account == account) records[hashes[i]].revoked = true;
            }
        } catch {}
    }

    function enroll(uint256 seed) external {
        registry.enroll(accountAt(seed % ACCOUNTS), ISessionRegistry.Scope(bound(seed >> 8, 1, 2)));
    }

    function pass(uint256 time) external {
        vm.warp(block.timestamp + bound(time, 1, 25));
    }

    function setLifetime(uint256 seed) external {
        uint256 minimum = bound(seed, 0, 30);
        registry.setLifetime(uint32(minimum + bound(seed >> 8, 1, 90)), uint32(minimum));
    }

    function _known(bytes32 tokenHash) private view returns (bool) {
        return tokenHash == bytes32(0) || records[tokenHash].endsAt != 0;
    }

    function _fresh() private view returns (bytes32) {
        return keccak256(abi.encode(hashes.length));
    }

    function _pick(uint256 seed) private view returns (bytes32) {
        return hashes.length == 0 ? bytes32(0) : hashes[seed % hashes.length];
    }

    function _add(bytes32 tokenHash, Record memory record) private {
        hashes.push(tokenHash);
        records[tokenHash] = record;
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

    /// @dev Replaced, closed or revoked: such a token hash is never live again.
    function invariant_endedIsForEver() public view {
        for (uint256 i = 0; i < handler.count(); ++i) {
            bytes32 tokenHash = handler.hashes(i);
            (, , , bool ended, bool revoked) = handler.records(tokenHash);
            assert(registry.sessionOf(tokenHash).ended == ended);
            assert(!((ended || revoked) && registry.isLive(tokenHash)));
        }
    }

    /// @dev Nothing but an extension gives a session more time.
    function invariant_noSessionOutlivesItsLifetime() public view {
        for (uint256 i = 0; i < handler.count(); ++i) {
            bytes32 tokenHash = handler.hashes(i);
            (, uint256 endsAt, , , ) = handler.records(tokenHash);
            assert(registry.sessionOf(tokenHash).expiresAt == endsAt);
            assert(!(block.timestamp >= endsAt && registry.isLive(tokenHash)));
        }
    }

    /// @dev Every call was allowed exactly when the rules allow it; that covers when a session is extended.
    function invariant_rulesAreKept() public view {
        assert(bytes(handler.fault()).length == 0);
        for (uint256 i = 0; i < handler.count(); ++i) {
            bytes32 tokenHash = handler.hashes(i);
            (uint256 account, , bool validated, , ) = handler.records(tokenHash);
            ISessionRegistry.Session memory session = registry.sessionOf(tokenHash);
            assert(session.account == handler.accountAt(account));
            assert(session.validated == validated);
            assert(registry.isLive(tokenHash) == handler.isLive(tokenHash));
        }
    }
}
