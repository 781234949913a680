// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title Accounts and sessions
/// @notice Accounts are enrolled with a scope and can be revoked. An enrolled account opens sessions. The chain has
/// only the keccak-256 of an access token, so that readers of the chain cannot use a session.
/// States of a token hash: unknown -> live -> replaced or closed. The last two are final.
/// All times are block times in Unix seconds.
/// A revocation ends all sessions of the account. A new enrolment allows new sessions and restores none.
interface ISessionRegistry {
    /// @notice Rights of an account. `Read`: search and decode. `Full`: also store records.
    enum Scope {
        None,
        Read,
        Full
    }

    /// @notice State of a token hash.
    /// @param account Account of the session; the zero address for an unknown hash
    /// @param expiresAt First second at which the session is expired
    /// @param validated Whether the session was validated since its opening or last extension
    /// @param ended Whether the token was replaced or closed
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
    /// @notice Emitted when an account is revoked. This ends all its sessions, also after a new enrolment.
    /// @param account The account
    event AccountRevoked(address indexed account);
    /// @notice Emitted when an account opens a session.
    /// @param tokenHash keccak-256 of the access token
    /// @param account The account
    /// @param expiresAt First second at which the session is expired
    event SessionOpened(bytes32 indexed tokenHash, address indexed account, uint64 expiresAt);
    /// @notice Emitted when a session is validated: the token is replaced, the expiry stays.
    /// @param tokenHash keccak-256 of the replaced access token
    /// @param newTokenHash keccak-256 of the new access token
    /// @param expiresAt First second at which the session is expired
    event SessionValidated(bytes32 indexed tokenHash, bytes32 indexed newTokenHash, uint64 expiresAt);
    /// @notice Emitted when a session is extended: the token is replaced, the lifetime starts again.
    /// @param tokenHash keccak-256 of the replaced access token
    /// @param newTokenHash keccak-256 of the new access token
    /// @param expiresAt First second at which the session is expired
    event SessionExtended(bytes32 indexed tokenHash, bytes32 indexed newTokenHash, uint64 expiresAt);
    /// @notice Emitted when a session is closed by its holder.
    /// @param tokenHash keccak-256 of the access token
    event SessionClosed(bytes32 indexed tokenHash);
    /// @notice Emitted when the administrator changes the lifetime or the minimum for an extension.
    /// @param lifetime Seconds that a session lives
    /// @param minimumToExtend An extension needs more than this many seconds left
    event LifetimeChanged(uint32 lifetime, uint32 minimumToExtend);

    /// @notice Thrown when the account is the zero address or the scope is `None`.
    error InvalidEnrolment(address account, Scope scope);
    /// @notice Thrown when the account is not enrolled, or was revoked after the session was opened.
    error AccountNotEnrolled(address account);
    /// @notice Thrown when the signature over {openingDigest} is not the account's own; `signer` is the zero address
    /// when the signature is malformed.
    error WrongSigner(address account, address signer);
    /// @notice Thrown when a token hash was used before, in any state, or is zero.
    error TokenHashUsed(bytes32 tokenHash);
    /// @notice Thrown when the token hash was never opened.
    error SessionUnknown(bytes32 tokenHash);
    /// @notice Thrown when the token was replaced or the session closed.
    error SessionEnded(bytes32 tokenHash);
    /// @notice Thrown when the session is expired.
    error SessionExpired(bytes32 tokenHash, uint64 expiresAt);
    /// @notice Thrown at an extension of a session that was not validated since the last extension.
    error SessionNotValidated(bytes32 tokenHash);
    /// @notice Thrown at an extension with too little lifetime left.
    /// @param remaining Seconds left
    /// @param minimum An extension needs more than this many seconds
    error TooLateToExtend(bytes32 tokenHash, uint64 remaining, uint32 minimum);
    /// @notice Thrown when the lifetime is zero or not greater than the minimum to extend.
    error InvalidLifetime(uint32 lifetime, uint32 minimumToExtend);

    /// @notice Enrols `account`, or changes its scope. Only a registrar.
    /// @param account The account
    /// @param scope Its scope; not `None`
    /// @dev Emits {AccountEnrolled}. Reverts with {InvalidEnrolment}.
    function enroll(address account, Scope scope) external;

    /// @notice Revokes `account` and ends all its sessions. Only a registrar.
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
    /// @param signature The account's EIP-191 signature over {openingDigest}, 65 bytes
    /// @dev Emits {SessionOpened}. Reverts with {AccountNotEnrolled}, {WrongSigner}, {TokenHashUsed}.
    function open(address account, bytes32 tokenHash, bytes calldata signature) external;

    /// @notice Replaces the token of a live session and marks it validated; the expiry stays. Only a relayer.
    /// @param tokenHash keccak-256 of the access token
    /// @param newTokenHash keccak-256 of the new access token
    /// @dev Emits {SessionValidated}. Reverts with {SessionUnknown}, {SessionEnded}, {SessionExpired},
    /// {AccountNotEnrolled}, {TokenHashUsed}.
    function validate(bytes32 tokenHash, bytes32 newTokenHash) external;

    /// @notice Replaces the token of a live, validated session with more than the minimum left, and starts its
    /// lifetime again. The next extension needs another validation. Only a relayer.
    /// @param tokenHash keccak-256 of the access token
    /// @param newTokenHash keccak-256 of the new access token
    /// @dev Emits {SessionExtended}. Reverts as {validate}, and with {SessionNotValidated}, {TooLateToExtend}.
    function extend(bytes32 tokenHash, bytes32 newTokenHash) external;

    /// @notice Ends a live session. Only a relayer.
    /// @param tokenHash keccak-256 of the access token
    /// @dev Emits {SessionClosed}. Reverts with {SessionUnknown}, {SessionEnded}, {SessionExpired},
    /// {AccountNotEnrolled}.
    function close(bytes32 tokenHash) external;

    /// @notice Returns the 32 bytes that `account` signs (EIP-191, as a 32-byte message) to open a session:
    /// keccak256(abi.encode(chain id, this contract, account, tokenHash)).
    /// @param account The account
    /// @param tokenHash keccak-256 of the access token
    function openingDigest(address account, bytes32 tokenHash) external view returns (bytes32);

    /// @notice Returns the state of `tokenHash`; all zero for an unknown hash. A revocation shows in {isLive} only.
    /// @param tokenHash keccak-256 of the access token
    function sessionOf(bytes32 tokenHash) external view returns (Session memory);

    /// @notice Returns whether the session is neither ended nor expired, and its account not revoked since the
    /// opening.
    /// @param tokenHash keccak-256 of the access token
    function isLive(bytes32 tokenHash) external view returns (bool);

    /// @notice Returns the scope of `account`; `None` when it is not enrolled.
    /// @param account The account
    function scopeOf(address account) external view returns (Scope);

    /// @notice Seconds that a session lives.
    function lifetime() external view returns (uint32);

    /// @notice An extension needs more than this many seconds left.
    function minimumToExtend() external view returns (uint32);
}
