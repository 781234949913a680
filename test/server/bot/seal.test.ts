import { statSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { assert } from "chai";
import fc from "fast-check";
import { Seal } from "../../../server/bot/seal.ts";
import { SealbookError } from "../../../server/errors.ts";
import { removeDirectory, temporaryDirectory } from "../../support/directory.ts";

describe("the bot's seal", function () {
  let directory: string;
  let file: string;
  before(async () => {
    directory = await temporaryDirectory();
    file = join(directory, "bot-key");
  });
  after(() => removeDirectory(directory));
  const refused = async (isNeeded: boolean): Promise<SealbookError> => {
    const error: unknown = await Seal.open(file, isNeeded).then(
      () => assert.fail("opened"),
      (thrown: unknown) => thrown,
    );
    assert.instanceOf(error, SealbookError);
    assert.equal(error.code, "config_invalid");
    return error;
  };

  it("has no key made when something was sealed with the one that is missing", async () => {
    assert.include((await refused(true)).message, "put it back from a backup");
  });

  it("opens what was sealed, after a restart too, with a key that only its owner can read", async () => {
    const sealed = (await Seal.open(file, false)).close("user 1", { a: ["ä", 1] });
    assert.deepEqual((await Seal.open(file, true)).open("user 1", sealed), { a: ["ä", 1] });
    assert.equal(statSync(file).mode & 0o777, 0o600);
  });

  it("opens nothing that was moved to another place or changed, and shows nothing of it", async () => {
    const seal = await Seal.open(file, true);
    fc.assert(
      fc.property(
        fc.string({ minLength: 8 }),
        fc.string(),
        fc.string(),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        (text, place, other, at, change) => {
          const sealed = seal.close(place, text);
          assert.isFalse(Buffer.from(sealed).includes(Buffer.from(text)));
          if (place !== other) assert.throws(() => seal.open(other, sealed));
          const changed = Uint8Array.from(sealed);
          changed[at % changed.length] = (changed[at % changed.length] ?? 0) ^ change;
          assert.throws(() => seal.open(place, changed));
        },
      ),
    );
  });

  it("refuses a file that is no key, and does not show it", async () => {
    const key = await readFile(file, "utf8");
    await writeFile(file, `${key.slice(0, 40)}\n`);
    assert.notInclude((await refused(true)).message, key.slice(0, 20));
  });
});
