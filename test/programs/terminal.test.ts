import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { assert } from "chai";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";
import { pythonProgram } from "../support/python.ts";
import { SEALBOOK } from "../support/sealbook.ts";
import { SURROUNDINGS } from "../support/surroundings.ts";

const TERMINAL = join(import.meta.dirname, "terminal.py");

describe("commands that ask on a terminal", () => {
  let directory: string;
  let env: Record<string, string | undefined>;
  let login: string;
  before(async () => {
    directory = await temporaryDirectory();
    env = { ...SURROUNDINGS, DATA_DIR: directory, CHAIN_PORT: "0" };
    const { stdout } = await promisify(execFile)(process.execPath, [SEALBOOK, "account", "create", "--json"], { env });
    ({ login } = JSON.parse(stdout) as { readonly login: string });
  });
  after(() => removeDirectory(directory));

  /** Answers a command's question; returns what the terminal showed and, at its end, the exit code. */
  const answer = async (question: string, text: string, ...args: string[]): Promise<string> => {
    const command = [TERMINAL, question, text, process.execPath, SEALBOOK, "account", ...args];
    return (await promisify(execFile)(pythonProgram("python"), command, { env })).stdout;
  };

  it("end after the answer", async () => {
    assert.match(
      await answer("(yes or no) ", "no", "revoke", login),
      /was not revoked: answer yes, or use --yes\n 1\n$/,
    );
    assert.match(await answer("old password: ", "wrong", "password", login), /login or password is wrong\n 1\n$/);
    assert.match(await answer("(yes or no) ", "yes", "revoke", login), /is revoked\n 0\n$/);
    // Without a question.
    const again = [SEALBOOK, "account", "revoke", login];
    const { stderr } = await promisify(execFile)(process.execPath, again, { env }).catch(
      (error: { stderr: string }) => error,
    );
    assert.match(stderr, /^account: account 0x\w{40} is revoked\n$/);
  });
});
