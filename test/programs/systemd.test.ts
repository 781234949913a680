import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { assert } from "chai";
import { unitText } from "../../network/node-services.ts";
import { makeNetwork } from "../network/made-network.ts";
import { debianProgram } from "../support/debian-program.ts";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";

const ROOT = join(import.meta.dirname, "../..");
const run = promisify(execFile);

describe("units of systemd", () => {
  let directory: string;
  before(async () => void (directory = await temporaryDirectory()));
  after(() => removeDirectory(directory));

  /**
   * Has systemd rate the protection of a unit, and read it, as root: the user of the unit is not there.
   * @param exposure Highest exposure, in tenths
   */
  async function assertProtected(name: string, text: string, exposure: number): Promise<void> {
    const systemd = debianProgram("systemd-analyze", "systemd");
    const unit = join(directory, name);
    await writeFile(unit, text);
    await run(systemd, ["security", "--offline=true", `--threshold=${exposure}`, unit]);
    await writeFile(unit, text.replace(/^User=.*\nGroup=.*$/m, "User=root\nGroup=root"));
    const { stdout, stderr } = await run(systemd, ["verify", unit]);
    assert.equal(stdout + stderr, "");
  }

  // Security, programs: control over the process gives few rights on the machine
  it("start the server", async () => {
    const unit = await readFile(join(ROOT, "deploy/sealbook.service"), "utf8");
    await assertProtected("sealbook.service", unit.replace(/^ExecStart=\S+/m, "ExecStart=/bin/true"), 12);
  });

  it("start a node of Besu", async () => {
    const { network } = await makeNetwork(join(directory, "besu"));
    const unit = await readFile(join(directory, "besu/network/dc-1/besu.service"), "utf8");
    await assertProtected("besu.service", unit.replaceAll("/opt/besu/bin/besu", "/bin/true"), 15);
    // In the configuration file the profile has no effect.
    assert.match(unit, /^ExecStart=\S+ --profile=ENTERPRISE --config-file=\S+$/m);
    const qbft = unitText({ plan: { ...network.plan, consensus: "qbft" } }, network.hosts[0] ?? assert.fail());
    assert.match(qbft, /^ExecStart=.* --Xqbft-enable-early-round-change$/m);
  });
});
