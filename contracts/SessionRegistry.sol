// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {AccessControl} from "@openzeppelin/contracts/access/AccessControl.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {ISessionRegistry} from "./interfaces/ISessionRegistry.sol";
import {PersonalMessage} from "./libraries/PersonalMessage.sol";

/// @title Accounts and sessions
/// @notice Implements {ISessionRegistry}.
contract SessionRegistry is ISessionRegistry, AccessControl {
    /// @notice Role of the accounts that enrol and revoke.
    bytes32 public constant REGISTRAR_ROLE = keccak256("REGISTRAR_ROLE");
    /// @notice Role of the accounts that open, validate, extend and close sessions.
    bytes32 public constant RELAYER_ROLE = keccak256("RELAYER_ROLE");

    /// @dev `epoch` counts revocations: a session opened before a revocation stays ended after a new enrolment.
    struct Account {
        Scope scope;
        uint32 epoch;
    }

    /// @dev One storage slot. `epoch` is the epoch of the account at the opening.
    struct StoredSession {
        address account;
        uint48 expiresAt;
        uint32 epoch;
        bool validated;
        bool ended;
    }

    /// @inheritdoc ISessionRegistry
    uint32 public lifetime;
    /// @inheritdoc ISessionRegistry
    uint32 public minimumToExtend;

    mapping(address account => Account) private _accounts;
    mapping(bytes32 tokenHash => StoredSession) private _sessions;

    /// @notice Grants the roles and sets the lifetime.
    /// @param admin Administrator of the roles and the lifetime, and first registrar
    /// @param relayer First relayer
    /// @param lifetime_ Seconds that a session lives
    /// @param minimumToExtend_ An extension needs more than this many seconds left
    constructor(address admin, address relayer, uint32 lifetime_, uint32 minimumToExtend_) {
        _grantRole(DEFAULT_ADMIN_ROLE, admin);
        _grantRole(REGISTRAR_ROLE, admin);
        _grantRole(RELAYER_ROLE, relayer);
        _setLifetime(lifetime_, minimumToExtend_);
    }

    /// @inheritdoc ISessionRegistry
    function enroll(address account, Scope scope) external onlyRole(REGISTRAR_ROLE) {
        if (account == address(0) || scope == Scope.None) revert InvalidEnrolment(account, scope);
        _accounts[account].scope = scope;
        emit AccountEnrolled(account, scope);
    }

    /// @inheritdoc ISessionRegistry
    function revoke(address account) external onlyRole(REGISTRAR_ROLE) {
        _accounts[account] = Account(Scope.None, _enrolled(account).epoch + 1);
        emit AccountRevoked(account);
    }

    /// @inheritdoc ISessionRegistry
    function setLifetime(uint32 lifetime_, uint32 minimumToExtend_) external onlyRole(DEFAULT_ADMIN_ROLE) {
        _setLifetime(lifetime_, minimumToExtend_);
    }

    /// @inheritdoc ISessionRegistry
    function open(address account, bytes32 tokenHash, bytes calldata signature) external onlyRole(RELAYER_ROLE) {
        uint32 epoch = _enrolled(account).epoch;
        bytes32 digest = PersonalMessage.hash(openingDigest(account, tokenHash));
        // A malformed signature recovers the zero address, which is never an enrolled account.
        (address signer, , ) = ECDSA.tryRecoverCalldata(digest, signature);
        if (signer != account) revert WrongSigner(account, signer);
        uint48 expiresAt = _freshExpiry();
        _create(tokenHash, StoredSession(account, expiresAt, epoch, false, false));
        emit SessionOpened(tokenHash, account, expiresAt);
    }

    /// @inheritdoc ISessionRegistry
    function validate(bytes32 tokenHash, bytes32 newTokenHash) external onlyRole(RELAYER_ROLE) {
        StoredSession memory session = _end(tokenHash);
        session.validated = true;
        _create(newTokenHash, session);
        emit SessionValidated(tokenHash, newTokenHash, session.expiresAt);
    }

    /// @inheritdoc ISessionRegistry
    function extend(bytes32 tokenHash, bytes32 newTokenHash) external onlyRole(RELAYER_ROLE) {
        StoredSession memory session = _end(tokenHash);
        if (!session.validated) revert SessionNotValidated(tokenHash);
        uint64 remaining = session.expiresAt - uint64(block.timestamp);
        if (remaining <= minimumToExtend) revert TooLateToExtend(tokenHash, remaining, minimumToExtend);
        session.validated = false;
        session.expiresAt = _freshExpiry();
        _create(newTokenHash, session);
        emit SessionExtended(tokenHash, newTokenHash, session.expiresAt);
    }

    /// @inheritdoc ISessionRegistry
    function close(bytes32 tokenHash) external onlyRole(RELAYER_ROLE) {
        _end(tokenHash);
        emit SessionClosed(tokenHash);
    }

    /// @inheritdoc ISessionRegistry
    function openingDigest(address account, bytes32 tokenHash) public view returns (bytes32) {
        return keccak256(abi.encode(block.chainid, address(this), account, tokenHash));
    }

    /// @inheritdoc ISessionRegistry
    function sessionOf(bytes32 tokenHash) external view returns (Session memory) {
        StoredSession memory session = _sessions[tokenHash];
        return Session(session.account, session.expiresAt, session.validated, session.ended);
    }

    /// @inheritdoc ISessionRegistry
    function isLive(bytes32 tokenHash) external view returns (bool) {
        StoredSession memory session = _sessions[tokenHash];
        // An unknown hash has expiry zero, which is in the past.
        return !session.ended && block.timestamp < session.expiresAt && _sameEnrolment(session);
    }

    /// @inheritdoc ISessionRegistry
    function scopeOf(address account) external view returns (Scope) {
        return _accounts[account].scope;
    }

    /// @dev Ends a live session's token, and returns the session as it was before.
    function _end(bytes32 tokenHash) private returns (StoredSession memory session) {
        session = _sessions[tokenHash];
        if (session.account == address(0)) revert SessionUnknown(tokenHash);
        if (session.ended) revert SessionEnded(tokenHash);
        if (block.timestamp >= session.expiresAt) revert SessionExpired(tokenHash, session.expiresAt);
        if (!_sameEnrolment(session)) revert AccountNotEnrolled(session.account);
        _sessions[tokenHash].ended = true;
    }

    /// @dev Stores a session under an unused token hash.
    function _create(bytes32 tokenHash, StoredSession memory session) private {
        bool used = tokenHash == bytes32(0) || _sessions[tokenHash].account != address(0);
        if (used) revert TokenHashUsed(tokenHash);
        _sessions[tokenHash] = session;
    }

    function _setLifetime(uint32 lifetime_, uint32 minimumToExtend_) private {
        if (lifetime_ <= minimumToExtend_) revert InvalidLifetime(lifetime_, minimumToExtend_);
        lifetime = lifetime_;
        minimumToExtend = minimumToExtend_;
        emit LifetimeChanged(lifetime_, minimumToExtend_);
    }

    function _enrolled(address account) private view returns (Account memory enrolled) {
        enrolled = _accounts[account];
        if (enrolled.scope == Scope.None) revert AccountNotEnrolled(account);
    }

    /// @dev Each revocation increments the epoch: equal epochs mean no revocation since the opening.
    function _sameEnrolment(StoredSession memory session) private view returns (bool) {
        return _accounts[session.account].epoch == session.epoch;
    }

    function _freshExpiry() private view returns (uint48) {
        return uint48(block.timestamp + lifetime);
    }
}
