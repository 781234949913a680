// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {HexSignature} from "../../contracts/libraries/HexSignature.sol";
import {HexText} from "./HexText.sol";
import {Test} from "./Vm.sol";

contract HexSignatureTest is Test {
    function parse(string calldata text) external pure returns (uint8, bytes32, bytes32) {
        return HexSignature.parse(text);
    }

    function parseContract(string calldata text) external pure returns (address, bytes memory) {
        return HexSignature.parseContract(text);
    }

    function isContractForm(string calldata text) external pure returns (bool) {
        return HexSignature.isContractForm(text);
    }

    function expectRefusal(bytes memory text) private view {
        (uint8 v, bytes32 r, bytes32 s) = this.parse(string(text));
        assert(v == 0 && r == 0 && s == 0);
    }

    function testFuzzReadsWhatWasWritten(bytes32 r, bytes32 s, bool odd, uint256 upper) public view {
        uint8 v = odd ? 27 : 28;
        (uint8 v2, bytes32 r2, bytes32 s2) = this.parse(HexText.encode(abi.encodePacked(r, s, v), upper));
        assert(v == v2 && r == r2 && s == s2);
    }

    function testFuzzRefusesAnyOtherLastByte(bytes32 r, bytes32 s, uint8 v, uint256 upper) public view {
        vm.assume(v != 27 && v != 28);
        expectRefusal(bytes(HexText.encode(abi.encodePacked(r, s, v), upper)));
    }

    function testFuzzRefusesAnyOtherLength(bytes memory data, bytes memory text) public view {
        vm.assume(data.length != 65 && text.length != 132);
        expectRefusal(bytes(HexText.encode(data, 0)));
        expectRefusal(text);
    }

    /// @dev Every character in every place, between neighbours that a carry could come from or go to.
    function testRefusesEveryCharacterThatIsNoHexDigit() public view {
        for (uint256 variant = 0; variant < 3; ++variant) {
            bytes memory text = bytes(HexText.encode(abi.encodePacked(new bytes(64), uint8(27)), 0));
            bytes1 filling = bytes3("09f")[variant];
            for (uint256 place = 2; place < 130; ++place) text[place] = filling;
            for (uint256 place = 0; place < 132; place += place < 34 || place > 125 ? 1 : 7) {
                bytes1 before = text[place];
                for (uint256 character = 0; character < 256; ++character) {
                    text[place] = bytes1(uint8(character));
                    (uint8 v, bytes32 r, bytes32 s) = this.parse(string(text));
                    assert((v != 0) == allowed(place, character));
                    if (v == 0) assert(r == 0 && s == 0);
                }
                text[place] = before;
            }
        }
    }

    function testFuzzReadsAContractAndItsSignature(address signer, bytes memory signature, uint256 upper) public view {
        string memory text = HexText.encode(abi.encodePacked(signer, signature), upper);
        (address signer2, bytes memory signature2) = this.parseContract(text);
        assert(signer2 == signer && keccak256(signature2) == keccak256(signature));
    }

    function testReadsContractSignaturesOfEveryLength() public view {
        for (uint256 length = 0; length < 140; ++length) {
            bytes memory signature = new bytes(length);
            for (uint256 i = 0; i < length; ++i) signature[i] = bytes1(uint8(255 - i));
            string memory text = HexText.encode(abi.encodePacked(address(0xabc), signature), 0);
            assert(this.isContractForm(text) == (length != 45));
            (address signer, bytes memory read) = this.parseContract(text);
            assert(signer == address(0xabc) && keccak256(read) == keccak256(signature));
        }
    }

    function testTheShortestContractFormIsAnAddress() public view {
        assert(!this.isContractForm(HexText.encode(new bytes(19), 0)));
        assert(!this.isContractForm(string(new bytes(41))));
        assert(this.isContractForm(HexText.encode(new bytes(20), 0)));
    }

    /// @dev Memory after the signature is not written to: what is allocated next stays as it is.
    function testFuzzContractSignaturesDoNotOverlap(bytes memory a, bytes memory b) public view {
        (, bytes memory first) = this.parseContract(HexText.encode(abi.encodePacked(address(1), a), 0));
        (, bytes memory second) = this.parseContract(HexText.encode(abi.encodePacked(address(2), b), 0));
        assert(keccak256(first) == keccak256(a) && keccak256(second) == keccak256(b));
    }

    function testRefusesAContractFormWithAnyOtherCharacter() public view {
        // Two full words of digits, and a last one of eight.
        bytes memory text = bytes(HexText.encode(abi.encodePacked(address(0xabc), new bytes(16)), 0));
        for (uint256 place = 0; place < text.length; ++place) {
            bytes1 before = text[place];
            for (uint256 character = 0; character < 256; ++character) {
                text[place] = bytes1(uint8(character));
                (address signer, ) = this.parseContract(string(text));
                // Places below 130 have the same rules in both forms.
                assert((signer != address(0)) == allowed(place, character));
            }
            text[place] = before;
        }
        (address odd, ) = this.parseContract(string(abi.encodePacked(text, "0")));
        assert(odd == address(0));
    }

    function allowed(uint256 place, uint256 c) private pure returns (bool) {
        if (place == 0) return c == 0x30;
        if (place == 1) return c == 0x78;
        if (place == 130) return c == 0x31;
        if (place == 131) return c == 0x62 || c == 0x63 || c == 0x42 || c == 0x43;
        return (c >= 0x30 && c <= 0x39) || (c >= 0x41 && c <= 0x46) || (c >= 0x61 && c <= 0x66);
    }
}
