import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { assert } from "chai";
import { ROOT } from "../../server/kit/program-files.ts";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";
import { rpcCall } from "../support/rpc.ts";
import { SURROUNDINGS } from "../support/surroundings.ts";

const STARTS = 6;
/** Seconds since 1970. */
const FIRST_START = 1_800_000_000;

describe("the trial chain of Compose", () => {
  let data: string;

  before(async () => {
    data = await temporaryDirectory();
  });
  after(() => removeDirectory(data));

  /** Runs the script with folders and an address of this machine, at a time; returns the chain's blocks. */
  async function blocksOfOneStart(seconds: number): Promise<string[]> {
    const script = (await readFile(join(ROOT, "deploy/chain.sh"), "utf8"))
      .replaceAll("/data/", `${data}/`)
      .replace("/opt/sealbook", ROOT)
      .replace("0.0.0.0", `127.0.0.1 --port 0 --timestamp ${seconds}`);
    const PATH = `${join(ROOT, "node_modules/.bin")}:${SURROUNDINGS["PATH"] ?? ""}`;
    const chain = spawn("sh", ["-c", script], {
      env: { ...SURROUNDINGS, PATH, NO_COLOR: "1" },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = once(chain, "exit");
    try {
      let url: string | undefined;
      for await (const line of createInterface({ input: chain.stdout })) {
        url = /^Listening on (\S+)$/.exec(line)?.[1];
        if (url !== undefined) break;
      }
      assert.isDefined(url);
      await rpcCall(`http://${url}`, "evm_mine");
      const head = Number(await rpcCall(`http://${url}`, "eth_blockNumber"));
      const numbers = Array.from({ length: head + 1 }, (_, number) => `0x${number.toString(16)}`);
      return await Promise.all(
        numbers.map(async (number) => (await rpcCall(`http://${url}`, "eth_getBlockByNumber", number, false)).hash),
      );
    } finally {
      chain.kill("SIGTERM");
      assert.deepEqual(await ended, [0, null]);
    }
  }

  it("keeps its blocks over restarts", async () => {
    let earlier: string[] = [];
    for (let start = 0; start < STARTS; start += 1) {
      const blocks = await blocksOfOneStart(FIRST_START + start);
      assert.deepEqual(blocks.slice(0, earlier.length), earlier);
      assert.isAbove(blocks.length, earlier.length);
      earlier = blocks;
    }
  });
});
