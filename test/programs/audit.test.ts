import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { text } from "node:stream/consumers";
import { assert } from "chai";
import { Contract, getBytes, hexlify, id, JsonRpcProvider, NonceManager, Wallet } from "ethers";
import { INTERFACES } from "../../server/chain/contracts/interfaces.ts";
import { encodeRowData } from "../../server/records/row-data.ts";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";
import { content } from "../support/envelope.ts";
import { pythonProgram } from "../support/python.ts";
import { ROUTES, startServer, type TestServer } from "../support/server.ts";
import { signRowFor } from "../support/signed-row.ts";
import { SURROUNDINGS } from "../support/surroundings.ts";

const ROOT = join(import.meta.dirname, "../..");
const PAGE = readFileSync(join(ROOT, "docs/audit.md"), "utf8");
const PROGRAMS = ["cast", "ethers", "web3.py"] as const;

/** The program of a section of the page. */
function programOf(name: (typeof PROGRAMS)[number]): string {
  const block = PAGE.split(`<!-- audit: ${name} -->\n`)[1];
  return /^```\w+\n([\s\S]*?)```/.exec(block ?? "")?.[1] ?? assert.fail(`the page has no program for ${name}`);
}

function castFolder(): string {
  const platform = `${process.platform}-${process.arch === "x64" ? "amd64" : process.arch}`;
  const folder = join(ROOT, `node_modules/@foundry-rs/cast-${platform}/bin`);
  assert.isTrue(existsSync(folder), folder);
  return folder;
}

describe("the programs of the audit page", () => {
  let server: TestServer;
  let directory: string;
  let provider: JsonRpcProvider;
  let table: Contract;
  let accomplice: Wallet;

  before(async () => {
    server = await startServer({ CHAIN_PORT_SEND: "on" });
    directory = await temporaryDirectory();
    await writeFile(join(directory, "cast.sh"), programOf("cast"));
    await writeFile(join(directory, "audit.py"), programOf("web3.py"));
    provider = new JsonRpcProvider(server.chainUrl, undefined, { staticNetwork: true, pollingInterval: 20 });
    const keys = JSON.parse(readFileSync(join(server.directory, "keys.json"), "utf8"));
    const { contracts } = JSON.parse(readFileSync(join(server.directory, "deployments/7325.json"), "utf8"));
    const administrator = new NonceManager(new Wallet(keys.administrator, provider));
    accomplice = new Wallet(Wallet.createRandom().privateKey);
    const relayer = Wallet.createRandom();
    const registry = new Contract(contracts.SessionRegistry, INTERFACES.SessionRegistry, administrator);
    const granted = new Contract(contracts.EventTable, INTERFACES.EventTable, administrator);
    const sent = { gasPrice: 0, type: 0 };
    await (await registry.getFunction("enroll").send(accomplice.address, 2, sent)).wait();
    await (await granted.getFunction("grantRole").send(id("RELAYER_ROLE"), relayer.address, sent)).wait();
    table = new Contract(
      contracts.EventTable,
      INTERFACES.EventTable,
      new NonceManager(new Wallet(relayer.privateKey, provider)),
    );
  });
  after(async () => {
    provider.destroy();
    await server.stop();
    await removeDirectory(directory);
  });

  /** Runs a program of the page about a transaction. */
  const run = async (name: (typeof PROGRAMS)[number], transaction: string): Promise<string> => {
    const [program, args, input]: [string, string[], string] =
      name === "cast"
        ? ["bash", ["-eu", "-o", "pipefail", join(directory, "cast.sh")], ""]
        : name === "web3.py"
          ? [pythonProgram("python", "web3"), [join(directory, "audit.py")], ""]
          : [process.execPath, ["--input-type=module", "-"], programOf("ethers")];
    const child = spawn(program, args, {
      cwd: ROOT,
      env: {
        ...SURROUNDINGS,
        PATH: `${castFolder()}${delimiter}${process.env["PATH"] ?? ""}`,
        RPC_URL: server.chainUrl,
        TX: transaction,
      },
      stdio: "pipe",
    });
    const code = new Promise<number | null>((resolve) => child.once("close", resolve));
    child.stdin.end(input);
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
    assert.equal(await code, 0, `${name}: ${err}`);
    return out;
  };

  /** What all programs print about a transaction. */
  const audit = async (transaction: string): Promise<string> => {
    const [first = "", ...others] = await Promise.all(PROGRAMS.map((name) => run(name, transaction)));
    for (const other of others) assert.equal(other, first);
    return first;
  };

  /** Writes a row that its account has signed for its place. */
  const write = async (call: "set" | "insert", code: string): Promise<string> => {
    const record = { rowId: 9_000n, sender: accomplice.address, createdAt: new Date(0), payload: {}, topic: "t" };
    const rowdata = Buffer.from(encodeRowData({ ...record, code }));
    const row = ["events", 9_000n, rowdata, false] as const;
    const signature = await signRowFor(server.chainUrl, await table.getAddress(), accomplice, row);
    const response = await table.getFunction(call).send(...row, signature, { gasPrice: 0, type: 0 });
    await response.wait();
    return response.hash;
  };

  it("agree about stored records, plain and compressed", async () => {
    const token = await server.login();
    const payloads = [{ value: JSON.rawJSON("1.50") }, { text: "ü".repeat(500) }];
    for (const [index, payload] of payloads.entries()) {
      const record = { code: `station ${index}`, topic: "PM2.5", payload };
      content(await server.call(ROUTES.store, { token }, record), ROUTES.store);
      const search = { search: { target: "1", value: record.code, locations: true } };
      const { tparams } = content(await server.call(ROUTES.search, { token }, search), ROUTES.search);
      const lines = (await audit(tparams.locations[0].tx_hash)).split("\n");
      assert.match(lines[0] ?? "", new RegExp(`^row: events/\\d+, code ${record.code}, topic PM2.5, of \\w+, `));
      assert.equal(lines[1], `sender: ${server.demo.login}, signed for this place`);
      assert.equal(lines[2], "written: as the first row of its number");
      assert.equal(lines[3], "on chain: current");
      assert.equal(lines[4], `payload: ${JSON.stringify(payload)}`);
    }
  });

  it("agree about a row that another one has overwritten", async () => {
    const first = await write("insert", "before");
    const second = await write("set", "after");
    assert.match(await audit(first), /^written: as the first row of its number\non chain: overwritten$/m);
    assert.match(await audit(second), /^written: over another row\non chain: current$/m);
  });

  it("agree about a row that is signed over its data alone, and one that its sender did not sign", async () => {
    const sender = Wallet.createRandom();
    const rowdata = Buffer.from(`1|${sender.address}|c|d|e30=|t|1`);
    const administrator = JSON.parse(readFileSync(join(server.directory, "keys.json"), "utf8")).administrator;
    // The contract refuses both: the transactions revert, and are on chain all the same.
    for (const [signer, expected] of [
      [sender, "over the row data alone"],
      [Wallet.createRandom(), "not by the sender"],
    ] as const) {
      const signature = await signer.signMessage(getBytes(hexlify(rowdata)));
      const call = table.connect(new Wallet(administrator, provider)) as Contract;
      const response = await call
        .getFunction("insert")
        .send("events", 1_000_000, rowdata, false, signature, { gasPrice: 0, type: 0, gasLimit: 500_000 });
      await response.wait().catch(() => undefined);
      const printed = await audit(response.hash);
      assert.match(printed, new RegExp(`signed ${expected}$`, "m"));
      assert.match(printed, /^written: not at all\non chain: missing$/m);
    }
  });
});
