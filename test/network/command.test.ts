import { assert } from "chai";
import { cp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";
import { HOSTS_YAML } from "./made-network.ts";
import { readJson, runScript } from "../scripts/proofs-support.ts";

describe("network script", function () {
  let directory: string;
  before(async () => {
    directory = await temporaryDirectory();
    await writeFile(join(directory, "hosts.yaml"), HOSTS_YAML);
    await writeFile(join(directory, "more.yaml"), `${HOSTS_YAML}  - { name: dc-7, address: 127.0.1.7 }\n`);
    await writeFile(join(directory, "wrong.yaml"), HOSTS_YAML.replace("127.0.1.2", "2"));
  });
  after(() => removeDirectory(directory));

  const network = (...args: string[]) => runScript("network", directory, ...args);
  const init = (...args: string[]) =>
    network("init", "--hosts", "hosts.yaml", "--out", "net", "--validators", "6", "--block-time", "5", ...args);

  it("creates a network once, and confirms that it is complete", async () => {
    const made = await init("--consensus", "qbft", "--empty-block-time", "60");
    assert.deepEqual({ code: made.code, err: made.err }, { code: 0, err: "" });
    const { genesis, plan } = await readJson(join(directory, "net/network.json"));
    assert.include(made.out, `Hash of the genesis block: ${genesis.hash}`);
    assert.isAtLeast(plan.chainId, 1_000_000_000);
    assert.deepEqual(plan, {
      engine: "besu",
      consensus: "qbft",
      chainId: plan.chainId,
      blockPeriodSeconds: 5,
      emptyBlockPeriodSeconds: 60,
      requestTimeoutSeconds: 10,
      gasLimit: 65_000_000,
    });
    assert.deepInclude((await readJson(join(directory, "net/dc-1/besu/genesis.json"))).config.qbft, {
      emptyblockperiodseconds: 60,
    });
    const [again, other, checked] = await Promise.all([
      init("--consensus", "qbft", "--empty-block-time", "60"),
      init("--consensus", "ibft2"),
      network("check", "--out", "net", "--files-only"),
    ]);
    const [, files] = /^Written: (\d+) files\.\n/.exec(made.out) ?? assert.fail(made.out);
    assert.match(again.out, new RegExp(`^Nothing was written\\.\nUnchanged: ${files} files\\.\n`));
    assert.equal(other.code, 1);
    assert.match(other.err, /^network: .*holds another network:\nconsensus: is "qbft", and would be "ibft2"\n/);
    assert.deepEqual([checked.code, checked.out], [0, "The files match network.json.\n"]);
  });

  it("prepares a change, and reports the steps that the network lacks", async () => {
    const added = await network("add", "dc-7", "--hosts", "more.yaml", "--out", "net");
    assert.equal(added.code, 0, added.err);
    assert.match(added.out, /Steps, also written to changes\/1-add-dc-7\.md:\n\n# Add dc-7\n/);
    assert.include(added.out, "qbft_proposeValidatorVote");
    // Nobody listens there.
    const rpc = Array.from({ length: 7 }, (_, index) => [
      "--rpc",
      `${index === 5 ? "customer" : `dc-${index + 1}`}=https://127.0.0.1:1`,
    ]).flat();
    const checked = await network("check", "--out", "net", "--json", ...rpc);
    assert.equal(checked.code, 1);
    const findings: { where: string; what: string }[] = JSON.parse(checked.out);
    assert.deepEqual(
      findings.map(({ where }) => where),
      ["dc-1", "dc-2", "dc-3", "dc-4", "dc-5", "customer", "dc-7"],
    );
    for (const { what } of findings) assert.match(what, /^cannot be queried at https:\/\/127\.0\.0\.1:1: /);
  });

  it("checks a data centre's own folder, and no other's", async () => {
    for (const path of ["network.json", "dc-2"])
      await cp(join(directory, "net", path), join(directory, "own", path), { recursive: true });
    const check = (...args: string[]) => network("check", "--out", "own", ...args);
    const others = "dc-1, dc-3, dc-4, dc-5, customer, dc-7";
    const [queried, files, missing] = await Promise.all([
      check("--json", "--rpc", "dc-2=https://127.0.0.1:1"),
      check("--files-only"),
      check("--json", "--client", join(directory, "nowhere")),
    ]);
    assert.equal(
      queried.err,
      `Not queried, because their folders are not here: ${others}; --client DIR queries them.\n`,
    );
    const [{ where = "", what = "" } = {}, ...more] = JSON.parse(queried.out) as { where?: string; what?: string }[];
    assert.deepEqual([where, more], ["dc-2", []]);
    assert.match(what, /^cannot be queried at https:\/\/127\.0\.0\.1:1: .*ECONNREFUSED/);
    assert.deepEqual([files.code, files.out, files.err], [0, "The files match network.json.\n", ""]);
    assert.lengthOf(JSON.parse(missing.out), 7, "each node, without a certificate");
    for (const rest of [[], ["--files-only"]]) {
      await rm(join(directory, "own", "dc-2"), { recursive: true, force: true });
      const nothing = await check(...rest);
      assert.equal(nothing.code, 2);
      assert.match(nothing.err, /^network: .*\/own has no folder of a data centre or a relayer to check\n$/);
    }
    await writeFile(join(directory, "own", "network.json"), "garbage");
    assert.match((await check()).err, /^network: .*network\.json: is not JSON\n$/);
  });

  it("reports invalid arguments", async () => {
    const [faulty, missing, nothing, usage, quick] = await Promise.all([
      init("--consensus", "ibft2", "--hosts", "wrong.yaml"),
      init("--consensus", "ibft2", "--hosts", "nothing.yaml"),
      network("check", "--out", "x"),
      network("init", "--hosts", "hosts.yaml", "--out", "x"),
      init("--consensus", "ibft2", "--out", "quick", "--block-time", "1"),
    ]);
    assert.deepEqual([faulty.code, missing.code, nothing.code, usage.code, quick.code], [1, 1, 2, 2, 0]);
    assert.equal(
      quick.err,
      "network: blocks come every 1 s: between data centres use 3 to 12 s, others are for trials\n",
    );
    assert.equal(faulty.err, "network: wrong.yaml:3: hosts.1.address: is not an IPv4 address\n");
    assert.match(missing.err, /^network: nothing\.yaml cannot be read: ENOENT/);
    assert.match(nothing.err, /^network: there is no network in .*\/x: init makes one\n$/);
    assert.match(usage.err, /required option '--consensus <protocol>' not specified/);
  });
});
