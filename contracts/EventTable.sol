// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {AccessControl} from "@openzeppelin/contracts/access/AccessControl.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {IEventTable} from "./interfaces/IEventTable.sol";
import {ISessionRegistry} from "./interfaces/ISessionRegistry.sol";
import {HexSignature} from "./libraries/HexSignature.sol";
import {PersonalMessage} from "./libraries/PersonalMessage.sol";

/// @title Tables of signed rows
/// @notice Implements {IEventTable}.
contract EventTable is IEventTable, AccessControl {
    /// @notice Role of the accounts that write rows.
    bytes32 public constant RELAYER_ROLE = keccak256("RELAYER_ROLE");

    /// @notice Registry in which signers are enrolled.
    ISessionRegistry public immutable registry;

    mapping(bytes32 tableHash => mapping(uint256 rowid => bytes32)) private _digests;

    /// @notice Grants the roles.
    /// @param registry_ Registry in which signers are enrolled
    /// @param admin Administrator of the roles
    /// @param relayer First relayer
    constructor(ISessionRegistry registry_, address admin, address relayer) {
        registry = registry_;
        _grantRole(DEFAULT_ADMIN_ROLE, admin);
        _grantRole(RELAYER_ROLE, relayer);
    }

    /// @inheritdoc IEventTable
    function set(
        string calldata tabname,
        uint256 rowid,
        bytes calldata rowdata,
        bool comp,
        string calldata signature
    ) external onlyRole(RELAYER_ROLE) {
        _write(tabname, rowid, rowdata, comp, signature, true);
    }

    /// @inheritdoc IEventTable
    function insert(
        string calldata tabname,
        uint256 rowid,
        bytes calldata rowdata,
        bool comp,
        string calldata signature
    ) external onlyRole(RELAYER_ROLE) {
        _write(tabname, rowid, rowdata, comp, signature, false);
    }

    /// @inheritdoc IEventTable
    function digestOf(string calldata tabname, uint256 rowid) external view returns (bytes32) {
        return _digests[keccak256(bytes(tabname))][rowid];
    }

    function _write(
        string calldata tabname,
        uint256 rowid,
        bytes calldata rowdata,
        bool comp,
        string calldata signature,
        bool overwrite
    ) private {
        bytes32 tableHash = keccak256(bytes(tabname));
        mapping(uint256 => bytes32) storage digests = _digests[tableHash];
        if (!overwrite && digests[rowid] != bytes32(0)) revert RowExists(tabname, rowid);
        address signer = _signerOf(rowdata, signature);
        if (registry.scopeOf(signer) != ISessionRegistry.Scope.Full) revert SignerNotEnrolled(signer);
        digests[rowid] = keccak256(abi.encode(signer, comp, keccak256(rowdata)));
        emit RowWritten(tableHash, rowid, signer, tabname, rowdata, comp, signature);
    }

    function _signerOf(bytes calldata rowdata, string calldata signature) private pure returns (address signer) {
        (uint8 v, bytes32 r, bytes32 s) = HexSignature.parse(signature);
        // All zero when the text is not hex: recovers the zero address.
        (signer, , ) = ECDSA.tryRecover(PersonalMessage.hash(rowdata), v, r, s);
        if (signer == address(0)) revert InvalidSignature(signature);
    }
}
