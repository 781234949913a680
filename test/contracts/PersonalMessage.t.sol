// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {PersonalMessage} from "../../contracts/libraries/PersonalMessage.sol";
import {Test} from "./Vm.sol";

contract PersonalMessageTest is Test {
    function hash(bytes calldata message) external pure returns (bytes32) {
        return PersonalMessage.hash(message);
    }

    function plain(bytes memory message) private pure returns (bytes32) {
        bytes memory length;
        for (uint256 rest = message.length; rest != 0 || length.length == 0; rest /= 10) {
            length = abi.encodePacked(bytes1(uint8(48 + (rest % 10))), length);
        }
        return keccak256(abi.encodePacked("\x19Ethereum Signed Message:\n", length, message));
    }

    function testFuzzOfAnyMessage(bytes memory message) public view {
        assert(this.hash(message) == plain(message));
    }

    function testFuzzOfAnyLength(uint16 length) public view {
        bytes memory message = new bytes(length);
        assert(this.hash(message) == plain(message));
    }

    function testWhereTheNumberOfDigitsChanges() public view {
        for (uint256 power = 1; power <= 100_000; power *= 10) {
            assert(this.hash(new bytes(power - 1)) == plain(new bytes(power - 1)));
            assert(this.hash(new bytes(power)) == plain(new bytes(power)));
        }
    }

    function testFuzzOf32Bytes(bytes32 message) public view {
        assert(PersonalMessage.hash(message) == this.hash(abi.encode(message)));
    }
}
