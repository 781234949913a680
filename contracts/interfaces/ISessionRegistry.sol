// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title Accounts and sessions
/// @notice Accounts are enrolled with a scope and can be revoked. An enrolled account opens sessions. The chain has
/// only the keccak-256 of an access token, so that readers of the chain cannot use a session.
///
/// A session has an identifier, which {sessionIdOf} returns, and one current token, which each renewal replaces in the
/// same storage slot. States: unknown -> live -> expired or closed. The last two are final.
/// All times are block times in Unix seconds.
/// A revocation ends all sessions of the account and is final: nothing that the account signed before counts later.
interface ISessionRegistry {
    /// @notice Rights of an account. `Read`: search and decode. `Full`: also store records. `None`: never enrolled.
    enum Scope {
        None,
        Read,
        Full,
        Revoked
    }

    /// @notice State of a session.
    /// @param account Account of the session; the zero address for an unknown one
    /// @param expiresAt First second at which the session is expired
    /// @param validated Whether the session was validated since its opening or last extension
    /// @param ended Whether the session was closed
    struct Session {
        address account;
        uint64 expiresAt;
        bool validated;
        bool ended;
    }

    /// @notice Emitted when an account is enrolled, or enrolled again with another scope.
    /// @param account The account
    /// @param scope Its new scope
    event AccountEnrolled(address indexed account, Scope scope);
    /// @notice Emitted when an account is revoked, which is final. This ends all its sessions.
    /// @param account The account
    event AccountRevoked(address indexed account);
    /// @notice Emitted when an account opens a session.
    /// @param session Identifier of the session
    /// @param account The account
    /// @param tokenHash keccak-256 of the access token
    /// @param expiresAt First second at which the session is expired
    event SessionOpened(bytes32 indexed session, address indexed account, bytes32 indexed tokenHash, uint64 expiresAt);
    /// @notice Emitted when a session is validated: the token is replaced, the expiry stays.
    /// @param session Identifier of the session
    /// @param newTokenHash keccak-256 of the new access token
    /// @param expiresAt First second at which the session is expired
    event SessionValidated(bytes32 indexed session, bytes32 indexed newTokenHash, uint64 expiresAt);
    /// @notice Emitted when a session is extended: the token is replaced, the lifetime starts again.
    /// @param session Identifier of the session
    /// @param newTokenHash keccak-256 of the new access token
    /// @param expiresAt First second at which the session is expired
    event SessionExtended(bytes32 indexed session, bytes32 indexed newTokenHash, uint64 expiresAt);
    /// @notice Emitted when a session is closed by its holder.
    /// @param session Identifier of the session
    event SessionClosed(bytes32 indexed session);
    /// @notice Emitted when the administrator changes the lifetime or the minimum for an extension.
    /// @param lifetime Seconds that a session lives
    /// @param minimumToExtend An extension needs more than this many seconds left
    event LifetimeChanged(uint32 lifetime, uint32 minimumToExtend);

    /// @notice Thrown when the account is the zero address or the scope is neither `Read` nor `Full`.
    error InvalidEnrolment(address account, Scope scope);
    /// @notice Thrown at the enrolment of an account that was revoked.
    error AccountWasRevoked(address account);
    /// @notice Thrown when the account is not enrolled, or was revoked.
    error AccountNotEnrolled(address account);
    /// @notice Thrown when the signature over {openingDigest} is not the account's own; `signer` is the zero address
    /// when the signature is malformed.
    error WrongSigner(address account, address signer);
    /// @notice Thrown when an opening arrives after the deadline that the account signed.
    error OpeningExpired(uint64 deadline);
    /// @notice Thrown when a token hash is zero, opened a session before, or is the current one already.
    error TokenHashUsed(bytes32 tokenHash);
    /// @notice Thrown when the session was never opened.
    error SessionUnknown(bytes32 session);
    /// @notice Thrown when the session was closed.
    error SessionEnded(bytes32 session);
    /// @notice Thrown when `tokenHash` is not the current token of the session.
    error TokenReplaced(bytes32 session, bytes32 tokenHash);
    /// @notice Thrown when the session is expired.
    error SessionExpired(bytes32 session, uint64 expiresAt);
    /// @notice Thrown at an extension of a session that was not validated since the last extension.
    error SessionNotValidated(bytes32 session);
    /// @notice Thrown at an extension with too little lifetime left.
    /// @param session Identifier of the session
    /// @param remaining Seconds left
    /// @param minimum An extension needs more than this many seconds
    error TooLateToExtend(bytes32 session, uint64 remaining, uint32 minimum);
    /// @notice Thrown when the lifetime is zero, not greater than the minimum to extend, or above a day.
    error InvalidLifetime(uint32 lifetime, uint32 minimumToExtend);

    /// @notice Enrols `account`, or changes its scope. Only a registrar.
    /// @param account The account
    /// @param scope Its scope: `Read` or `Full`
    /// @dev Emits {AccountEnrolled}. Reverts with {InvalidEnrolment}, {AccountWasRevoked}.
    function enroll(address account, Scope scope) external;

    /// @notice Revokes `account` for ever and ends all its sessions. Only a registrar.
    /// @param account The account
    /// @dev Emits {AccountRevoked}. Reverts with {AccountNotEnrolled}.
    function revoke(address account) external;

    /// @notice Changes the lifetime of sessions opened or extended from now on. Only the administrator.
    /// @param lifetime Seconds that a session lives
    /// @param minimumToExtend An extension needs more than this many seconds left
    /// @dev Emits {LifetimeChanged}. Reverts with {InvalidLifetime}.
    function setLifetime(uint32 lifetime, uint32 minimumToExtend) external;

    /// @notice Opens a session for `account`. Only a relayer, and only with the account's signature.
    /// @param account The account
    /// @param tokenHash keccak-256 of the access token
    /// @param deadline Last block time at which the opening counts
    /// @param signature The account's signature over {openingDigest}: its own EIP-191 signature of 65 bytes, or that of
    /// a contract (ERC-1271)
    /// @dev Emits {SessionOpened}. Reverts with {AccountNotEnrolled}, {OpeningExpired}, {WrongSigner}, {TokenHashUsed}.
    function open(address account, bytes32 tokenHash, uint64 deadline, bytes calldata signature) external;

    /// @notice Replaces the token of a live session and marks it validated; the expiry stays. Only a relayer.
    /// @param session Identifier of the session
    /// @param tokenHash keccak-256 of the current access token
    /// @param newTokenHash keccak-256 of the new access token
    /// @dev Emits {SessionValidated}. Reverts with {SessionUnknown}, {SessionEnded}, {TokenReplaced}, {SessionExpired},
    /// {AccountNotEnrolled}, {TokenHashUsed}.
    function validate(bytes32 session, bytes32 tokenHash, bytes32 newTokenHash) external;

    /// @notice Replaces the token of a live, validated session with more than the minimum left, and starts its
    /// lifetime again. The next extension needs another validation. Only a relayer.
    /// @param session Identifier of the session
    /// @param tokenHash keccak-256 of the current access token
    /// @param newTokenHash keccak-256 of the new access token
    /// @dev Emits {SessionExtended}. Reverts as {validate}, and with {SessionNotValidated}, {TooLateToExtend}.
    function extend(bytes32 session, bytes32 tokenHash, bytes32 newTokenHash) external;

    /// @notice Ends a live session. Only a relayer.
    /// @param session Identifier of the session
    /// @param tokenHash keccak-256 of the current access token
    /// @dev Emits {SessionClosed}. Reverts with {SessionUnknown}, {SessionEnded}, {TokenReplaced}, {SessionExpired},
    /// {AccountNotEnrolled}.
    function close(bytes32 session, bytes32 tokenHash) external;

    /// @notice Returns the 32 bytes that `account` signs (EIP-191, as a 32-byte message) to open a session:
    /// keccak256(abi.encode(chain id, this contract, account, tokenHash, deadline)).
    /// @param account The account
    /// @param tokenHash keccak-256 of the access token
    /// @param deadline Last block time at which the opening counts
    function openingDigest(address account, bytes32 tokenHash, uint64 deadline) external view returns (bytes32);

    /// @notice Returns the identifier of the session that an opening makes: the 20 bytes of the account, then the first
    /// 12 bytes of the token hash.
    /// @param account The account
    /// @param tokenHash keccak-256 of the access token of the opening
    function sessionIdOf(address account, bytes32 tokenHash) external pure returns (bytes32);

    /// @notice Returns the state of a session; all zero for an unknown one. A revocation shows in {isLive} only.
    /// @param session Identifier of the session
    function sessionOf(bytes32 session) external view returns (Session memory);

    /// @notice Returns whether `tokenHash` is the current token of a session that is neither closed nor expired, and
    /// whose account is enrolled.
    /// @param session Identifier of the session
    /// @param tokenHash keccak-256 of the access token
    function isLive(bytes32 session, bytes32 tokenHash) external view returns (bool);

    /// @notice Returns the scope of `account`; `None` when it was never enrolled.
    /// @param account The account
    function scopeOf(address account) external view returns (Scope);

    /// @notice Seconds that a session lives.
    function lifetime() external view returns (uint32);

    /// @notice An extension needs more than this many seconds left.
    function minimumToExtend() external view returns (uint32);
}
