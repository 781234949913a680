// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {TableHandler} from "./TableHandler.sol";
import {InvariantTest} from "./Vm.sol";

contract EventTableInvariants is InvariantTest {
    TableHandler private handler;

    function setUp() public {
        handler = new TableHandler();
        callAtRandom(address(handler));
    }

    /// @dev A row changes by an allowed `set` only: `insert` never overwrites, and only relayers write.
    function invariant_rowsAreWhatWasWritten() public view {
        for (uint256 tab = 0; tab < handler.TABLES(); ++tab) {
            for (uint256 rowid = 0; rowid < handler.ROWS(); ++rowid) {
                bytes32 digest = handler.table().digestOf(handler.nameOf(tab), rowid);
                assert(digest == handler.digests(tab, rowid));
            }
        }
    }

    /// @dev Every call was allowed exactly when the rules allow it.
    function invariant_rulesAreKept() public view {
        assert(bytes(handler.fault()).length == 0);
    }
}
