import { mkdtemp, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import type { EnvironmentVariables } from "../../server/config/environment.ts";
import { type ServingProcess, startServing } from "./processes.ts";

const ROOT = join(import.meta.dirname, "../..");
const Package = z.object({ scripts: z.object({ start: z.string().regex(/^(exec )?node /) }) });
const Demo = z.object({ login: z.string(), password: z.string() });

/** Returns the parts of the command of `npm start`. */
async function startCommand(): Promise<{ flags: string[]; script: string; parameters: string[] }> {
  const { scripts } = Package.parse(JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")));
  const words = scripts.start.replace(/^(exec )?node /, "").split(" ");
  const [script = "", ...parameters] = words.filter((word) => !word.startsWith("--"));
  return { flags: words.filter((word) => word.startsWith("--")), script: join(ROOT, script), parameters };
}

/** The server under test, started like `npm start` but with its own folder and ports. */
export interface Sealbook extends ServingProcess {
  readonly directory: string;
  readonly chainUrl: string;
  demoAccount(): Promise<z.infer<typeof Demo>>;
}

/** Starts a server; disposing it ends the process and removes its folder. */
export async function startSealbook(root: string, variables: EnvironmentVariables = {}): Promise<Sealbook> {
  const directory = await mkdtemp(join(root, "sealbook-"));
  const log = join(directory, "server.log");
  const serving = await startServing({
    ...(await startCommand()),
    // One address makes the load of many: it has no maximum number of connections.
    variables: {
      ...(variables.RPC_URL === undefined ? { CHAIN_PORT: "0" } : {}),
      ...{ PORT: "0", TRUSTED_PROXIES: "127.0.0.1", DATA_DIR: directory, ...variables },
    },
    log,
    ready: /Sealbook listens on ([^\s"]+)/,
  });
  const { pid, url, end } = serving;
  return {
    pid,
    url,
    end,
    directory,
    chainUrl: /Embedded chain: ([^\s"]+)/.exec(await readFile(log, "utf8"))?.[1] ?? "",
    demoAccount: async () => Demo.parse(JSON.parse(await readFile(join(directory, "demo-account.json"), "utf8"))),
    async [Symbol.asyncDispose]() {
      await end();
      await rm(directory, { recursive: true, maxRetries: 5 });
    },
  };
}
