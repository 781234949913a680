// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

// solhint-disable-next-line max-line-length
import {AccessControlDefaultAdminRules} from "@openzeppelin/contracts/access/extensions/AccessControlDefaultAdminRules.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {ISessionRegistry} from "./interfaces/ISessionRegistry.sol";
import {ContractSignature} from "./libraries/ContractSignature.sol";
import {PersonalMessage} from "./libraries/PersonalMessage.sol";

/// @title Accounts and sessions
/// @notice Implements {ISessionRegistry}.
contract SessionRegistry is ISessionRegistry, AccessControlDefaultAdminRules {
    /// @notice Role of the accounts that enrol and revoke.
    bytes32 public constant REGISTRAR_ROLE = keccak256("REGISTRAR_ROLE");
    /// @notice Role of the accounts that open, validate, extend and close sessions.
    bytes32 public constant RELAYER_ROLE = keccak256("RELAYER_ROLE");

    /// @dev One storage slot, which renewals reuse. `token` has the first 20 bytes of the current token hash: 160 bits
    /// are as hard to meet as an address.
    struct StoredSession {
        uint48 expiresAt;
        bool validated;
        bool ended;
        bytes20 token;
    }

    /// @notice Maximum of {lifetime}, in seconds.
    uint32 public constant MAX_LIFETIME = 1 days;

    /// @inheritdoc ISessionRegistry
    uint32 public lifetime;
    /// @inheritdoc ISessionRegistry
    uint32 public minimumToExtend;

    /// @inheritdoc ISessionRegistry
    mapping(address account => Scope) public scopeOf;
    mapping(bytes32 session => StoredSession) private _sessions;

    /// @notice Grants the roles and sets the lifetime.
    /// @param admin Administrator of the roles and the lifetime, and first registrar
    /// @param adminDelay Seconds before a new administrator can accept the role
    /// @param relayer First relayer
    /// @param lifetime_ Seconds that a session lives
    /// @param minimumToExtend_ An extension needs more than this many seconds left
    constructor(
        address admin,
        uint48 adminDelay,
        address relayer,
        uint32 lifetime_,
        uint32 minimumToExtend_
    ) AccessControlDefaultAdminRules(adminDelay, admin) {
        _grantRole(REGISTRAR_ROLE, admin);
        _grantRole(RELAYER_ROLE, relayer);
        _setLifetime(lifetime_, minimumToExtend_);
    }

    /// @inheritdoc ISessionRegistry
    function enroll(address account, Scope scope) external onlyRole(REGISTRAR_ROLE) {
        if (account == address(0) || (scope != Scope.Read && scope != Scope.Full))
            revert InvalidEnrolment(account, scope);
        if (scopeOf[account] == Scope.Revoked) revert AccountWasRevoked(account);
        scopeOf[account] = scope;
        emit AccountEnrolled(account, scope);
    }

    /// @inheritdoc ISessionRegistry
    function revoke(address account) external onlyRole(REGISTRAR_ROLE) {
        _requireEnrolled(account);
        scopeOf[account] = Scope.Revoked;
        emit AccountRevoked(account);
    }

    /// @inheritdoc ISessionRegistry
    function setLifetime(uint32 lifetime_, uint32 minimumToExtend_) external onlyRole(DEFAULT_ADMIN_ROLE) {
        _setLifetime(lifetime_, minimumToExtend_);
    }

    /// @inheritdoc ISessionRegistry
    function open(
        address account,
        bytes32 tokenHash,
        uint64 deadline,
        bytes calldata signature
    ) external onlyRole(RELAYER_ROLE) {
        _requireEnrolled(account);
        if (block.timestamp > deadline) revert OpeningExpired(deadline);
        _requireSigned(account, openingDigest(account, tokenHash, deadline), signature);
        bytes32 session = sessionIdOf(account, tokenHash);
        if (tokenHash == bytes32(0) || _sessions[session].expiresAt != 0) revert TokenHashUsed(tokenHash);
        uint48 expiresAt = _freshExpiry();
        _sessions[session] = StoredSession(expiresAt, false, false, bytes20(tokenHash));
        emit SessionOpened(session, account, tokenHash, expiresAt);
    }

    /// @inheritdoc ISessionRegistry
    function validate(bytes32 session, bytes32 tokenHash, bytes32 newTokenHash) external onlyRole(RELAYER_ROLE) {
        StoredSession memory stored = _live(session, tokenHash);
        stored.validated = true;
        _replaceToken(session, stored, newTokenHash);
        emit SessionValidated(session, newTokenHash, stored.expiresAt);
    }

    /// @inheritdoc ISessionRegistry
    function extend(bytes32 session, bytes32 tokenHash, bytes32 newTokenHash) external onlyRole(RELAYER_ROLE) {
        StoredSession memory stored = _live(session, tokenHash);
        if (!stored.validated) revert SessionNotValidated(session);
        uint64 remaining = stored.expiresAt - uint64(block.timestamp);
        if (remaining <= minimumToExtend) revert TooLateToExtend(session, remaining, minimumToExtend);
        stored.validated = false;
        stored.expiresAt = _freshExpiry();
        _replaceToken(session, stored, newTokenHash);
        emit SessionExtended(session, newTokenHash, stored.expiresAt);
    }

    /// @inheritdoc ISessionRegistry
    function close(bytes32 session, bytes32 tokenHash) external onlyRole(RELAYER_ROLE) {
        _live(session, tokenHash);
        _sessions[session].ended = true;
        emit SessionClosed(session);
    }

    /// @inheritdoc ISessionRegistry
    function openingDigest(address account, bytes32 tokenHash, uint64 deadline) public view returns (bytes32) {
        return keccak256(abi.encode(block.chainid, address(this), account, tokenHash, deadline));
    }

    /// @inheritdoc ISessionRegistry
    function sessionIdOf(address account, bytes32 tokenHash) public pure returns (bytes32) {
        return bytes32(bytes20(account)) | (tokenHash >> 160);
    }

    /// @inheritdoc ISessionRegistry
    function sessionOf(bytes32 session) external view returns (Session memory) {
        StoredSession memory stored = _sessions[session];
        if (stored.expiresAt == 0) return Session(address(0), 0, false, false);
        return Session(_accountOf(session), stored.expiresAt, stored.validated, stored.ended);
    }

    /// @inheritdoc ISessionRegistry
    function isLive(bytes32 session, bytes32 tokenHash) external view returns (bool) {
        StoredSession memory stored = _sessions[session];
        // An unknown session has expiry zero, which is in the past.
        return
            !stored.ended &&
            block.timestamp < stored.expiresAt &&
            stored.token == bytes20(tokenHash) &&
            _isEnrolled(_accountOf(session));
    }

    /// @inheritdoc AccessControlDefaultAdminRules
    function supportsInterface(bytes4 interfaceId) public view override returns (bool) {
        return interfaceId == type(ISessionRegistry).interfaceId || super.supportsInterface(interfaceId);
    }

    /// @dev Returns a live session of which `tokenHash` is the current token.
    function _live(bytes32 session, bytes32 tokenHash) private view returns (StoredSession memory stored) {
        stored = _sessions[session];
        if (stored.expiresAt == 0) revert SessionUnknown(session);
        if (stored.ended) revert SessionEnded(session);
        if (stored.token != bytes20(tokenHash)) revert TokenReplaced(session, tokenHash);
        if (block.timestamp >= stored.expiresAt) revert SessionExpired(session, stored.expiresAt);
        _requireEnrolled(_accountOf(session));
    }

    /// @dev Stores a session with a new token.
    function _replaceToken(bytes32 session, StoredSession memory stored, bytes32 newTokenHash) private {
        bytes20 token = bytes20(newTokenHash);
        if (token == bytes20(0) || token == stored.token) revert TokenHashUsed(newTokenHash);
        stored.token = token;
        _sessions[session] = stored;
    }

    /// @dev The account signs with its own key, or by ERC-1271 when it is a contract. An account with a key can have
    /// code as well, so its key is tried first.
    function _requireSigned(address account, bytes32 digest, bytes calldata signature) private view {
        bytes32 message = PersonalMessage.hash(digest);
        // A malformed signature recovers the zero address, which is never an enrolled account.
        (address signer, , ) = ECDSA.tryRecoverCalldata(message, signature);
        if (signer == account || ContractSignature.isValid(account, message, signature)) return;
        revert WrongSigner(account, signer);
    }

    function _setLifetime(uint32 lifetime_, uint32 minimumToExtend_) private {
        if (lifetime_ <= minimumToExtend_ || lifetime_ > MAX_LIFETIME)
            revert InvalidLifetime(lifetime_, minimumToExtend_);
        lifetime = lifetime_;
        minimumToExtend = minimumToExtend_;
        emit LifetimeChanged(lifetime_, minimumToExtend_);
    }

    function _requireEnrolled(address account) private view {
        if (!_isEnrolled(account)) revert AccountNotEnrolled(account);
    }

    function _isEnrolled(address account) private view returns (bool) {
        Scope scope = scopeOf[account];
        return scope == Scope.Read || scope == Scope.Full;
    }

    function _accountOf(bytes32 session) private pure returns (address) {
        return address(bytes20(session));
    }

    function _freshExpiry() private view returns (uint48) {
        return uint48(block.timestamp + lifetime);
    }
}
