import { assert } from "chai";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Wallet } from "ethers";
import { deployRemote } from "../support/deploy-script.ts";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";
import { forged } from "../support/forgery.ts";
import { type RawAnvil, startRawAnvil } from "../support/raw-anvil.ts";
import { startServer } from "../support/server.ts";
import { type Outcome, runScript, writeFiles } from "./proofs-support.ts";
import { withoutProgress } from "../support/without-progress.ts";

describe("scripts with the node of another program", function () {
  const keys = { RELAYER_KEY: Wallet.createRandom().privateKey, ADMIN_KEY: Wallet.createRandom().privateKey };
  let anvil: RawAnvil;
  let directory: string;

  before(async () => {
    anvil = await startRawAnvil();
    directory = await temporaryDirectory();
  });
  after(async () => {
    await anvil.stop();
    await removeDirectory(directory);
  });

  it("deploy, and verify files with the chain, and find a proof that the chain contradicts", async () => {
    const data = join(directory, "data");
    const { code, err } = await deployRemote({ ...keys, DATA_DIR: data, RPC_URL: anvil.http });
    assert.deepEqual([code, err], [0, ""]);
    const server = await startServer({ RPC_URL: anvil.http, RELAYER_KEY: keys.RELAYER_KEY }, { directory: data });
    try {
      await writeFiles(directory, { "d/a.txt": "a", "d/b.txt": "b" });
      const proved = await runScript("prove", directory, "d", "--url", server.url);
      assert.equal(proved.code, 0, proved.err);
    } finally {
      await server.stop("keep");
    }
    const file = join(directory, "sealbook-proofs/d/b.txt.bundle.json");
    const tampered = forged(await readFile(file, "utf8"), ({ anchor }) => (anchor.chain_id += 1));
    const verify = (): Promise<Outcome> => runScript("verify", directory, "d", "--rpc", anvil.http);
    const good = await verify();
    assert.deepEqual([good.code, withoutProgress(good.err)], [0, ""]);
    assert.match(good.out, /^2 of 2 files verified/m);
    await writeFile(file, tampered);
    const bad = await verify();
    assert.equal(bad.code, 1);
    assert.match(bad.out, /^not verified: d\/b\.txt: Transaction: /m);
  });
});
