import { statSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { assert } from "chai";
import fc from "fast-check";
import { BotCipher } from "../../../server/bot/bot-cipher.ts";
import { SealbookError } from "../../../server/errors.ts";
import { removeDirectory, temporaryDirectory } from "../../support/directory.ts";

describe("the bot's cipher", function () {
  let directory: string;
  let file: string;
  before(async () => {
    directory = await temporaryDirectory();
    file = join(directory, "bot-key");
  });
  after(() => removeDirectory(directory));
  const refused = async (isNeeded: boolean): Promise<SealbookError> => {
    const error: unknown = await BotCipher.load(file, isNeeded).then(
      () => assert.fail("opened"),
      (thrown: unknown) => thrown,
    );
    assert.instanceOf(error, SealbookError);
    assert.equal(error.code, "config_invalid");
    return error;
  };

  it("creates no key if encrypted data exist", async () => {
    assert.include((await refused(true)).message, "restore it from a backup");
  });

  it("decrypts after a restart, with a key that only its owner can read", async () => {
    const encrypted = (await BotCipher.load(file, false)).encrypt("user 1", { a: ["ä", 1] });
    assert.deepEqual((await BotCipher.load(file, true)).decrypt("user 1", encrypted), { a: ["ä", 1] });
    assert.equal(statSync(file).mode & 0o777, 0o600);
  });

  // Security, bot: a writer of the database cannot replace one user's key with another's
  it("decrypts nothing that was moved or changed, and reveals nothing of it", async () => {
    const cipher = await BotCipher.load(file, true);
    fc.assert(
      fc.property(
        fc.string({ minLength: 8 }),
        fc.string(),
        fc.string(),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        (text, position, other, at, change) => {
          const encrypted = cipher.encrypt(position, text);
          assert.isFalse(Buffer.from(encrypted).includes(Buffer.from(text)));
          if (position !== other) assert.throws(() => cipher.decrypt(other, encrypted));
          const changed = Uint8Array.from(encrypted);
          changed[at % changed.length] = (changed[at % changed.length] ?? 0) ^ change;
          assert.throws(() => cipher.decrypt(position, changed));
        },
      ),
    );
  });

  it("rejects an invalid key file without its content", async () => {
    const key = await readFile(file, "utf8");
    await writeFile(file, `${key.slice(0, 40)}\n`);
    assert.notInclude((await refused(true)).message, key.slice(0, 20));
  });
});
