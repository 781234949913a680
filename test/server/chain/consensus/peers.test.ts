import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { assert } from "chai";
import { computeAddress, SigningKey } from "ethers";
import { parseEnode, readNodeList } from "../../../../server/chain/consensus/peers.ts";
import { removeDirectory, temporaryDirectory } from "../../../support/directory.ts";

// A published node key.
const KEY = new SigningKey(`0x${"11".repeat(32)}`);
const ID = KEY.publicKey.slice(4);
const URL = `enode://${ID}@10.0.0.1:30303`;

describe("enode URLs", () => {
  it("contain a node's key, address and port", () => {
    const expected = { id: ID, address: computeAddress(KEY).toLowerCase(), endpoint: "10.0.0.1:30303" };
    for (const url of [URL, `enode://${ID.toUpperCase()}@10.0.0.1:30303`, `${URL}?discport=0`])
      assert.deepEqual(parseEnode(url), expected);
    assert.equal(parseEnode(`enode://${ID}@[::1]:30303`)?.endpoint, "[::1]:30303");
  });

  it("are rejected in any other form", () => {
    for (const text of [
      "",
      "enode://",
      `enode://${ID}`,
      `enode://${ID.slice(1)}@a:1`,
      `http://${ID}@a:1`,
      `enode://${"00".repeat(64)}@a:1`,
    ]) {
      assert.isUndefined(parseEnode(text), text);
    }
  });

  it("are read from a file in the format of `static-nodes.json`; any other is rejected with its name", async () => {
    const directory = await temporaryDirectory();
    const file = async (text: string): Promise<string> => {
      const path = join(directory, "static-nodes.json");
      await writeFile(path, text);
      return path;
    };
    assert.lengthOf(readNodeList(await file(JSON.stringify([URL, URL]))), 2);
    for (const text of ["", "{}", "[7]"]) {
      const path = await file(text);
      assert.throws(
        () => readNodeList(path),
        /^NODE_LIST_FILE: .*static-nodes\.json is not a JSON list of enode URLs$/,
      );
    }
    const path = await file('["enode://x@y"]');
    assert.throws(() => readNodeList(path), 'has "enode://x@y", which is not an enode URL');
    await removeDirectory(directory);
    assert.throws(() => readNodeList(path), /NODE_LIST_FILE/);
  });
});
