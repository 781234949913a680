// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Address} from "@openzeppelin/contracts/utils/Address.sol";
import {IProofAnchor} from "../interfaces/IProofAnchor.sol";

/// @title Escrow for a document
/// @notice Example of a contract that uses proofs. A buyer deposits the price of a document. The seller gets it for an
/// inclusion proof that the document was anchored by the deadline. Without a proof the buyer gets it back.
contract DocumentEscrow {
    /// @notice Time after the deadline in which a proof can be submitted. The buyer can withdraw after it.
    uint64 public constant GRACE = 7 days;

    /// @notice The contract that has the anchors.
    IProofAnchor public immutable anchors;
    /// @notice Recorded hash of the document; its proof has it as `record_hash`.
    bytes32 public immutable recordHash;
    /// @notice Latest time of the anchor, in Unix seconds.
    uint64 public immutable deadline;
    /// @notice Account that deposited the price.
    address payable public immutable buyer;
    /// @notice Account that gets the price for the proof.
    address payable public immutable seller;

    /// @notice Emitted when the price is paid out.
    /// @param to The seller or the buyer
    /// @param amount The price in wei
    event PaidOut(address indexed to, uint256 amount);

    /// @notice Thrown when there is no seller.
    error NoSeller();
    /// @notice Thrown when the path does not lead from the document to an anchored root.
    error NotAnchored(bytes32 root);
    /// @notice Thrown when the document was anchored after the deadline.
    error AnchoredTooLate(uint64 time);
    /// @notice Thrown when the buyer withdraws while a proof can still be submitted.
    error ProofStillPossible(uint64 until);
    /// @notice Thrown when there is nothing left to pay.
    error AlreadyPaid();

    /// @notice Deposits the price.
    /// @param anchors_ The contract that has the anchors
    /// @param recordHash_ Recorded hash of the document
    /// @param deadline_ Latest time of the anchor, in Unix seconds
    /// @param seller_ Account that gets the price for the proof
    constructor(IProofAnchor anchors_, bytes32 recordHash_, uint64 deadline_, address payable seller_) payable {
        if (seller_ == address(0)) revert NoSeller();
        anchors = anchors_;
        recordHash = recordHash_;
        deadline = deadline_;
        buyer = payable(msg.sender);
        seller = seller_;
    }

    /// @notice Pays the seller. Any account can call it.
    /// @param path Sibling hashes from the document to the root; its proof has them as `merkle.path`
    /// @param root The anchored root; `recordHash` itself with an empty path, for a document that was anchored alone
    function claim(bytes32[] calldata path, bytes32 root) external {
        if (!anchors.verify(recordHash, path, root)) revert NotAnchored(root);
        uint64 time = anchors.anchorOf(root).time;
        if (time > deadline) revert AnchoredTooLate(time);
        _payOut(seller);
    }

    /// @notice Pays the buyer back when no proof was submitted in time. Any account can call it.
    function withdraw() external {
        uint64 until = deadline + GRACE;
        if (block.timestamp <= until) revert ProofStillPossible(until);
        _payOut(buyer);
    }

    function _payOut(address payable to) private {
        uint256 amount = address(this).balance;
        if (amount == 0) revert AlreadyPaid();
        emit PaidOut(to, amount);
        Address.sendValue(to, amount);
    }
}
