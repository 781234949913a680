import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { assert } from "chai";
import { startServer, type TestServer } from "../support/server.ts";
import { SURROUNDINGS } from "../support/surroundings.ts";
import { pythonProgram } from "../support/python.ts";
import { temporaryDirectory, removeDirectory } from "../support/directory.ts";
import { callDataVectors } from "../vectors/calldata/vectors.ts";
import { CONTRACT } from "../support/examples.ts";

/** More examples per operation, or others, on demand. */
const EXAMPLES = process.env["FUZZ_EXAMPLES"] ?? "10";
const SEED = String(BigInt(process.env["FUZZ_SEED"] ?? 20_261_122));
const HOOKS = join(import.meta.dirname, "schemathesis");

/** Schemathesis generates requests from the OpenAPI document alone: valid ones must be accepted, others rejected. */
describe("Schemathesis, with all of its checks", () => {
  let server: TestServer;
  let directory: string;
  let environment: Record<string, string>;

  before(async () => {
    directory = await temporaryDirectory();
    server = await startServer(
      {
        SESSION_LIFETIME: "36000",
        STORE_RATE: "1000000",
        QUERY_RATE: "1000000",
      },
      { settings: { explorer: { rate: 1e6 }, sessions: { loginAttemptsPerSource: 1e6 } } },
    );
    const token = await server.login();
    await server.post("/api/v1/proof", CONTRACT);
    const stored = await server.call(
      "/api/datastore/event/store",
      { token },
      { code: "sensor", topic: "PM2.5", payload: { pm25: 12 } },
    );
    assert.equal(stored.status, 200, stored.text);
    const decodable = callDataVectors().find((vector) => vector.function === "set");
    assert(decodable !== undefined);
    environment = {
      SEALBOOK_TOKEN: token,
      SEALBOOK_LOGIN: server.demo.login,
      SEALBOOK_PASSWORD: server.demo.password,
      SEALBOOK_CALL_DATA: decodable.inputdata,
    };
  });
  after(async () => {
    await server.stop();
    await removeDirectory(directory);
  });

  it("finds nothing", async () => {
    const tool = spawn(
      pythonProgram("schemathesis"),
      [
        "run",
        `${server.url}/openapi.json`,
        "--checks",
        "all",
        "--continue-on-failure",
        "-n",
        EXAMPLES,
        "--seed",
        SEED,
        "--request-timeout",
        "120",
      ],
      { cwd: directory, env: { ...SURROUNDINGS, ...environment, PYTHONPATH: HOOKS, SCHEMATHESIS_HOOKS: "hooks" } },
    );
    const [output, [code]] = await Promise.all([text(tool.stdout), once(tool, "close")]);
    assert.equal(code, 0, output);
  });
});
