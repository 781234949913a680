// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

// solhint-disable-next-line max-line-length
import {AccessControlDefaultAdminRules} from "@openzeppelin/contracts/access/extensions/AccessControlDefaultAdminRules.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {IEventTable} from "./interfaces/IEventTable.sol";
import {ISessionRegistry} from "./interfaces/ISessionRegistry.sol";
import {ContractSignature} from "./libraries/ContractSignature.sol";
import {HexSignature} from "./libraries/HexSignature.sol";
import {PersonalMessage} from "./libraries/PersonalMessage.sol";

/// @title Tables of signed rows
/// @notice Implements {IEventTable}.
contract EventTable is IEventTable, AccessControlDefaultAdminRules {
    /// @notice Role of the accounts that write rows.
    bytes32 public constant RELAYER_ROLE = keccak256("RELAYER_ROLE");

    /// @notice Registry in which signers are enrolled.
    ISessionRegistry public immutable registry;

    mapping(bytes32 tableHash => mapping(uint256 rowid => bytes32)) private _digests;

    /// @notice Grants the roles.
    /// @param registry_ Registry in which signers are enrolled
    /// @param admin Administrator of the roles
    /// @param adminDelay Seconds before a new administrator can accept the role
    /// @param relayer First relayer
    constructor(
        ISessionRegistry registry_,
        address admin,
        uint48 adminDelay,
        address relayer
    ) AccessControlDefaultAdminRules(adminDelay, admin) {
        registry = registry_;
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

    /// @inheritdoc IEventTable
    function signingDigest(
        string calldata tabname,
        uint256 rowid,
        bytes calldata rowdata,
        bool comp
    ) external view returns (bytes32) {
        return _signingDigest(keccak256(bytes(tabname)), rowid, comp, keccak256(rowdata));
    }

    /// @inheritdoc AccessControlDefaultAdminRules
    function supportsInterface(bytes4 interfaceId) public view override returns (bool) {
        return interfaceId == type(IEventTable).interfaceId || super.supportsInterface(interfaceId);
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
        bytes32 dataHash = keccak256(rowdata);
        mapping(uint256 => bytes32) storage digests = _digests[tableHash];
        bytes32 replaced = digests[rowid];
        if (!overwrite && replaced != bytes32(0)) revert RowExists(tabname, rowid);
        address signer = _signerOf(_signingDigest(tableHash, rowid, comp, dataHash), signature);
        digests[rowid] = keccak256(abi.encode(signer, comp, dataHash));
        emit RowWritten(tableHash, rowid, signer, tabname, rowdata, comp, signature, replaced);
    }

    function _signingDigest(
        bytes32 tableHash,
        uint256 rowid,
        bool comp,
        bytes32 dataHash
    ) private view returns (bytes32) {
        return keccak256(abi.encode(block.chainid, address(this), tableHash, rowid, comp, dataHash));
    }

    /// @dev Only the code of an enrolled account is called.
    function _signerOf(bytes32 digest, string calldata signature) private view returns (address signer) {
        bytes32 message = PersonalMessage.hash(digest);
        if (HexSignature.isContractForm(signature)) {
            bytes memory data;
            (signer, data) = HexSignature.parseContract(signature);
            if (signer == address(0)) revert InvalidSignature(signature);
            _requireEnrolled(signer);
            if (!ContractSignature.isValid(signer, message, data)) revert InvalidSignature(signature);
            return signer;
        }
        (uint8 v, bytes32 r, bytes32 s) = HexSignature.parse(signature);
        // All zero when the text is not hex: recovers the zero address.
        (signer, , ) = ECDSA.tryRecover(message, v, r, s);
        if (signer == address(0)) revert InvalidSignature(signature);
        _requireEnrolled(signer);
    }

    function _requireEnrolled(address signer) private view {
        if (registry.scopeOf(signer) != ISessionRegistry.Scope.Full) revert SignerNotEnrolled(signer);
    }
}
