import { assert } from "chai";
import { getAddress, getBytes } from "ethers";
import { INTERFACES } from "../../../server/chain/contracts/interfaces.ts";
import type { VerifiedBlock } from "../../../server/chain/evidence/verified-block.ts";
import { eventLog } from "../../../server/records/event-log.ts";
import { NO_NODE } from "../../support/no-node.ts";
import { blockOf, headerOf } from "../../support/verified-block.ts";

const [TABLE, REGISTRY, OTHER] = ["11", "22", "33"].map((byte) => `0x${byte.repeat(20)}`) as [string, string, string];
const [FIRST, SECOND] = ["aa", "bb"].map((byte) => getAddress(`0x${byte.repeat(20)}`)) as [string, string];
/** Returns a block with a transaction in which a contract revokes an account. */
function whole(number: number, contract: string, account: string): VerifiedBlock {
  const { topics, data } = INTERFACES.SessionRegistry.encodeEventLog("AccountRevoked", [account]);
  const log = { address: getBytes(contract), topics: topics.map((topic) => getBytes(topic)), data: getBytes(data) };
  const call = { hash: "0x", to: getBytes(contract), input: new Uint8Array(), succeeded: true };
  return blockOf(number, [{ ...call, logs: [log] }]);
}

describe("log of the contracts' events", () => {
  it("has the events of its contracts in blocks that were read as a whole, with their times", async () => {
    const sources = { table: TABLE, tableName: "records", registry: REGISTRY, firstBlock: 0 };
    const log = eventLog(
      NO_NODE,
      sources,
      () => assert.fail("there is no row"),
      () => assert.fail("there is no row"),
    );
    const blocks = [
      headerOf(1),
      whole(2, REGISTRY, FIRST),
      headerOf(3),
      whole(4, OTHER, FIRST),
      whole(5, REGISTRY, SECOND),
    ];
    assert.deepEqual(await log.entriesIn(blocks), [
      { kind: "account", address: FIRST, change: { enrolled: false, revokedAt: 1_002_000 } },
      { kind: "account", address: SECOND, change: { enrolled: false, revokedAt: 1_005_000 } },
    ]);
  });
});
