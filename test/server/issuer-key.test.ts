import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { SealbookError } from "../../server/errors.ts";
import { loadOrCreateIssuer } from "../../server/issuer-key.ts";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";

describe("the issuer's key", () => {
  let directory: string;
  before(async () => {
    directory = await temporaryDirectory();
  });
  after(() => removeDirectory(directory));

  it("is made once, kept for the owner only, and the same afterwards", async () => {
    const file = join(directory, "data", "issuer-key.json");
    const made = await loadOrCreateIssuer(file);
    const again = await loadOrCreateIssuer(file);
    expect(again.publicKey).to.deep.equal(made.publicKey);
    const message = Buffer.from("a message");
    expect(await again.sign(message)).to.deep.equal(await made.sign(message));
    expect((await stat(file)).mode & 0o777).to.equal(0o600);
    expect(JSON.parse(await readFile(file, "utf8")).public_key).to.equal(Buffer.from(made.publicKey).toString("hex"));
    const other = await loadOrCreateIssuer(join(directory, "other", "issuer-key.json"));
    expect(other.publicKey).to.not.deep.equal(made.publicKey);
  });

  it("is not replaced when its file holds something else", async () => {
    const file = join(directory, "broken.json");
    await writeFile(file, "{}");
    const error: unknown = await loadOrCreateIssuer(file).then(() => undefined, (thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(SealbookError).with.property("code", "config_invalid");
    expect(await readFile(file, "utf8")).to.equal("{}");
  });
});
