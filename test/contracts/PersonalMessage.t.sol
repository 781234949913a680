// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {PersonalMessage} from "../../contracts/libraries/PersonalMessage.sol";
import {Test} from "./Vm.sol";

contract PersonalMessageTest is Test {
    function testFuzzHasThePrefixOf32Bytes(bytes32 message) public pure {
        bytes memory text = abi.encodePacked(bytes1(0x19), "Ethereum Signed Message:", bytes1(0x0a), "32", message);
        assert(PersonalMessage.hash(message) == keccak256(text));
    }
}
