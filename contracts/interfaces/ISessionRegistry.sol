// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title Who may act, and for how long
/// @notice Accounts are enrolled with a scope and can be revoked. An enrolled account opens sessions; a session
/// is known by the keccak-256 of its access token only, so nobody who reads the chain can use one.
/// Life of a token hash: unknown -> live -> replaced or closed. The last two are final: such a hash is never
/// live again. All times are block times in Unix seconds.
/// Revoking an account ends its sessions for good: enrolling it again lets it open new ones, and revives none.
interface ISessionRegistry {
    /// @notice What an account may do. `Read`: search and decode. `Full`: also store records.
    enum Scope {
        None,
        Read,
        Full
    }

    /// @notice What is kept for a token hash.
    /// @param account Whose session it is; the zero address for a hash never seen
    /// @param expiresAt First second at which the session is over
    /// @param validated Whether the session was validated since it was opened or last extended
    /// @param ended Whether the token was replaced or closed
    struct Session {
        address account;
        uint64 expiresAt;
        bool validated;
        bool ended;
    }

    /// @notice Emitted when an account is enrolled, or enrolled again with another scope.
    event AccountEnrolled(address indexed account, Scope scope);
    /// @notice Emitted when an account is revoked; all its sessions are over from then on, also when the account
    /// is enrolled again.
    event AccountRevoked(address indexed account);
    /// @notice Emitted when an account opens a session.
    event SessionOpened(bytes32 indexed tokenHash, address indexed account, uint64 expiresAt);
    /// @notice Emitted when a session is validated: `tokenHash` is replaced by `newTokenHash`, the expiry stays.
    event SessionValidated(bytes32 indexed tokenHash, bytes32 indexed newTokenHash, uint64 expiresAt);
    /// @notice Emitted when a session is extended: `tokenHash` is replaced by `newTokenHash` with a fresh lifetime.
    event SessionExtended(bytes32 indexed tokenHash, bytes32 indexed newTokenHash, uint64 expiresAt);
    /// @notice Emitted when a session is closed by its holder.
    event SessionClosed(bytes32 indexed tokenHash);
    /// @notice Emitted when the administrator changes the lifetime or the minimum that an extension needs.
    event LifetimeChanged(uint32 lifetime, uint32 minimumToExtend);

    /// @notice Thrown when the account is the zero address or the scope is `None`.
    error InvalidEnrolment(address account, Scope scope);
    /// @notice Thrown when the account is not enrolled, or was revoked after the session was opened.
    error AccountNotEnrolled(address account);
    /// @notice Thrown when the signature over the opening is not the account's own; `signer` is the zero address
    /// when the signature is malformed.
    error WrongSigner(address account, address signer);
    /// @notice Thrown when a token hash was used before, in any state, or is zero.
    error TokenHashUsed(bytes32 tokenHash);
    /// @notice Thrown when the token hash was never opened.
    error SessionUnknown(bytes32 tokenHash);
    /// @notice Thrown when the token was replaced or the session closed.
    error SessionEnded(bytes32 tokenHash);
    /// @notice Thrown when the session's lifetime is over.
    error SessionExpired(bytes32 tokenHash, uint64 expiresAt);
    /// @notice Thrown when an extension is asked for a session that was not validated since the last one.
    error SessionNotValidated(bytes32 tokenHash);
    /// @notice Thrown when an extension is asked with too little lifetime left.
    /// @param remaining Seconds left
    /// @param minimum An extension needs more than this many seconds
    error TooLateToExtend(bytes32 tokenHash, uint64 remaining, uint32 minimum);
    /// @notice Thrown when the lifetime is zero or not greater than the minimum to extend.
    error InvalidLifetime(uint32 lifetime, uint32 minimumToExtend);

    /// @notice Enrols `account`, or gives it another scope. Only a registrar.
    /// @dev Emits {AccountEnrolled}. Reverts with {InvalidEnrolment}.
    function enroll(address account, Scope scope) external;

    /// @notice Revokes `account` and with it all its sessions. Only a registrar.
    /// @dev Emits {AccountRevoked}. Reverts with {AccountNotEnrolled}.
    function revoke(address account) external;

    /// @notice Changes the lifetime of sessions opened or extended from now on. Only the administrator.
    /// @param lifetime Seconds a session lives
    /// @param minimumToExtend An extension needs more than this many seconds left
    /// @dev Emits {LifetimeChanged}. Reverts with {InvalidLifetime}.
    function setLifetime(uint32 lifetime, uint32 minimumToExtend) external;

    /// @notice Opens a session for `account`. Only a relayer, and only with the account's signature.
    /// @param tokenHash keccak-256 of the access token
    /// @param signature The account's EIP-191 signature over {openingDigest}, 65 bytes
    /// @dev Emits {SessionOpened}. Reverts with {AccountNotEnrolled}, {WrongSigner}, {TokenHashUsed}.
    function open(address account, bytes32 tokenHash, bytes calldata signature) external;

    /// @notice Replaces the token of a live session and marks it validated; the expiry stays. Only a relayer.
    /// @dev Emits {SessionValidated}. Reverts with {SessionUnknown}, {SessionEnded}, {SessionExpired},
    /// {AccountNotEnrolled}, {TokenHashUsed}.
    function validate(bytes32 tokenHash, bytes32 newTokenHash) external;

    /// @notice Replaces the token of a live, validated session with more than the minimum left, and gives it a
    /// fresh lifetime. It has to be validated again before the next extension. Only a relayer.
    /// @dev Emits {SessionExtended}. Reverts as {validate}, and with {SessionNotValidated}, {TooLateToExtend}.
    function extend(bytes32 tokenHash, bytes32 newTokenHash) external;

    /// @notice Ends a live session. Only a relayer.
    /// @dev Emits {SessionClosed}. Reverts with {SessionUnknown}, {SessionEnded}, {SessionExpired},
    /// {AccountNotEnrolled}.
    function close(bytes32 tokenHash) external;

    /// @notice The 32 bytes that `account` signs (EIP-191, as a 32-byte message) to open a session here:
    /// keccak256(abi.encode(chain id, this contract, account, tokenHash)).
    function openingDigest(address account, bytes32 tokenHash) external view returns (bytes32);

    /// @notice What is kept for `tokenHash`; all zero for a hash never seen. A revocation does not show here but in
    /// {isLive}.
    function sessionOf(bytes32 tokenHash) external view returns (Session memory);

    /// @notice Whether `tokenHash` belongs to a session that is neither ended nor over, and whose account was not
    /// revoked since it was opened.
    function isLive(bytes32 tokenHash) external view returns (bool);

    /// @notice The scope of `account`, `None` when it is not enrolled.
    function scopeOf(address account) external view returns (Scope);

    /// @notice Seconds a session lives.
    function lifetime() external view returns (uint32);

    /// @notice An extension needs more than this many seconds left.
    function minimumToExtend() external view returns (uint32);
}
