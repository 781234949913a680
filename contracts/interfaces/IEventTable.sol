// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title Tables of signed rows
/// @notice The log holds each row, storage holds its digest: rows are read from the log or from call data and
/// checked by digest. A row names its signer, not the relayer that paid for the transaction.
///
/// A signature counts in one place only: it is over {signingDigest}, which binds chain, contract, table and row id.
/// Its text is `0x` and hex digits in either case. An account signs with its key (EIP-191): 65 bytes, `s` in the
/// lower half of the order, `v` 27 or 28. A contract such as a multisig account signs by ERC-1271: the 20 bytes of its
/// address, then the bytes for its `isValidSignature`; not 65 bytes in all. It is called only when it is enrolled.
interface IEventTable {
    /// @notice Emitted for each row that `insert` or `set` writes.
    /// @param tableHash keccak-256 of `tabname`
    /// @param rowid Identifier of the row within its table
    /// @param signer The enrolled account whose signature the row carries
    /// @param tabname Name of the table
    /// @param rowdata The row as stored, compressed with bzip2 when `comp` is true
    /// @param comp Whether `rowdata` is compressed
    /// @param signature Hex text of the signer's signature over {signingDigest}
    /// @param replaced {digestOf} the row that this one overwrites; zero for the first write
    event RowWritten(
        bytes32 indexed tableHash,
        uint256 indexed rowid,
        address indexed signer,
        string tabname,
        bytes rowdata,
        bool comp,
        string signature,
        bytes32 replaced
    );

    /// @notice Thrown by `insert` when the row exists.
    error RowExists(string tabname, uint256 rowid);
    /// @notice Thrown when the signature has neither form, or the contract that it names does not accept it.
    error InvalidSignature(string signature);
    /// @notice Thrown when the signer may not store records: not enrolled, revoked, or enrolled with scope `Read`.
    error SignerNotEnrolled(address signer);

    /// @notice Writes a row and overwrites an existing one. Only a relayer.
    /// @param tabname Name of the table
    /// @param rowid Identifier of the row within its table
    /// @param rowdata The row, compressed with bzip2 when `comp` is true
    /// @param comp Whether `rowdata` is compressed
    /// @param signature Hex text of the signer's signature over {signingDigest}
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
    /// @param signature Hex text of the signer's signature over {signingDigest}
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

    /// @notice Returns the 32 bytes that the signer of a row signs (EIP-191, as a 32-byte message):
    /// keccak256(abi.encode(chain id, this contract, keccak256(tabname), rowid, comp, keccak256(rowdata))).
    /// @param tabname Name of the table
    /// @param rowid Identifier of the row within its table
    /// @param rowdata The row, compressed with bzip2 when `comp` is true
    /// @param comp Whether `rowdata` is compressed
    function signingDigest(
        string calldata tabname,
        uint256 rowid,
        bytes calldata rowdata,
        bool comp
    ) external view returns (bytes32);
}
