// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title Tables of signed rows
/// @notice The log holds each row, storage holds its digest: rows are read from the log or from call data and
/// checked by digest. A row names its signer, not the relayer that paid for the transaction.
interface IEventTable {
    /// @notice Emitted for each row that `insert` or `set` writes.
    /// @param tableHash keccak-256 of `tabname`
    /// @param rowid Identifier of the row within its table
    /// @param signer The enrolled account whose signature the row carries
    /// @param tabname Name of the table
    /// @param rowdata The row as stored, compressed with bzip2 when `comp` is true
    /// @param comp Whether `rowdata` is compressed
    /// @param signature `0x`-prefixed hex text of the signer's EIP-191 signature over `rowdata`
    event RowWritten(
        bytes32 indexed tableHash,
        uint256 indexed rowid,
        address indexed signer,
        string tabname,
        bytes rowdata,
        bool comp,
        string signature
    );

    /// @notice Thrown by `insert` when the row exists.
    error RowExists(string tabname, uint256 rowid);
    /// @notice Thrown when the signature is not `0x` and 130 hex digits (upper or lower case) of a well-formed
    /// signature: `s` in the lower half of the order, `v` 27 or 28.
    error InvalidSignature(string signature);
    /// @notice Thrown when the signer may not store records: not enrolled, revoked, or enrolled with scope `Read`.
    error SignerNotEnrolled(address signer);

    /// @notice Writes a row and overwrites an existing one. Only a relayer.
    /// @param tabname Name of the table
    /// @param rowid Identifier of the row within its table
    /// @param rowdata The row, compressed with bzip2 when `comp` is true
    /// @param comp Whether `rowdata` is compressed
    /// @param signature `0x`-prefixed hex text of the signer's EIP-191 signature over `rowdata`
    /// @dev Emits {RowWritten}. Reverts with {InvalidSignature}, {SignerNotEnrolled}.
    function set(
        string calldata tabname,
        uint256 rowid,
        bytes calldata rowdata,
        bool comp,
        string calldata signature
    ) external;

    /// @notice Writes a new row. Only a relayer.
    /// @param tabname Name of the table
    /// @param rowid Identifier of the row within its table
    /// @param rowdata The row, compressed with bzip2 when `comp` is true
    /// @param comp Whether `rowdata` is compressed
    /// @param signature `0x`-prefixed hex text of the signer's EIP-191 signature over `rowdata`
    /// @dev Emits {RowWritten}. Reverts with {RowExists}, {InvalidSignature}, {SignerNotEnrolled}.
    function insert(
        string calldata tabname,
        uint256 rowid,
        bytes calldata rowdata,
        bool comp,
        string calldata signature
    ) external;

    /// @notice Digest of a row: keccak256(abi.encode(signer, comp, keccak256(rowdata))); zero for a missing row.
    /// @param tabname Name of the table
    /// @param rowid Identifier of the row within its table
    function digestOf(string calldata tabname, uint256 rowid) external view returns (bytes32);
}
