import { spawn } from "node:child_process";
import { mkdir, rm } from "node:fs/promises";
import { join, dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { SealbookError, reasonOf } from "../../errors.ts";
import { AnvilSocket } from "./anvil-socket.ts";
import type { Genesis } from "./block-log.ts";
import { existsSync, closeSync, openSync } from "node:fs";
import { createRequire } from "node:module";

/**
 * Shell script that runs Anvil and ends it when our end of its standard input is closed; the operating system closes it
 * even after kill -9. Exits with Anvil. It works on every system and without rights: `setpriv --pdeathsig` is Linux's,
 * and a Node process in the shell's place would need 40 MB. Who kills the shells alone leaves an Anvil without a
 * socket behind, which does no harm.
 */
const KEEPER = `
exec 3<&0
"$@" </dev/null >/dev/null 3<&- &
anvil=$!
( read -r _ <&3; kill -9 "$anvil" ) 2>/dev/null &
watcher=$!
exec 3<&-
wait "$anvil"
status=$?
kill "$watcher" 2>/dev/null
exit "$status"
`;

const START_TIMEOUT_MS = 120_000;
const KEPT_ERROR_TEXT = 2_000;

/** A running Anvil with its connections. */
export interface AnvilProcess {
  /** Sent transactions and mining. */
  readonly control: AnvilSocket;
  /** All other calls, so that a long query does not delay a block. */
  readonly queries: AnvilSocket;
  /** Resolves when one of the connections is lost. */
  readonly disconnected: Promise<void>;
  /** Resolves with a reason after the end of Anvil, by a stop or otherwise. */
  readonly ended: Promise<string>;
  stop(): Promise<void>;
}

/** Starts an Anvil in an empty run folder; `stateFile` is loaded into it when given. */
export async function startAnvil(
  runDirectory: string,
  genesis: Genesis,
  stateFile: string | null,
): Promise<AnvilProcess> {
  await rm(join(runDirectory, "anvil.ipc"), { force: true });
  await mkdir(join(runDirectory, "tmp"), { recursive: true, mode: 0o700 });
  const child = spawn(
    "/bin/sh",
    ["-c", KEEPER, "sealbook-anvil", anvilBinary(), ...anvilArguments(runDirectory, genesis, stateFile)],
    {
      cwd: runDirectory,
      // Its own process group: Ctrl-C is for us, and we end Anvil when the block in progress is done.
      detached: true,
      env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: runDirectory, TMPDIR: join(runDirectory, "tmp") },
      stdio: ["pipe", "ignore", "pipe"],
    },
  );
  let errorText = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errorText = (errorText + text).slice(-KEPT_ERROR_TEXT);
  });
  child.stdin.on("error", () => undefined);
  let over = false;
  const ended = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(`Anvil cannot be started: ${error.message}`));
    child.once("exit", (code, signal) =>
      resolve(`Anvil ended (${signal ?? `exit ${code}`}). ${errorText.trim()}`.trim()),
    );
  }).finally(() => {
    over = true;
  });
  const stop = async (): Promise<void> => {
    child.stdin.end();
    await ended;
  };
  try {
    const control = await connectWhenUp(runDirectory, () => over);
    const queries = await connectWhenUp(runDirectory, () => over);
    const disconnected = Promise.race([control.lost, queries.lost]);
    return { control, queries, disconnected, ended, stop };
  } catch (error) {
    await stop();
    throw new SealbookError("chain_unavailable", `Anvil did not start: ${reasonOf(error)}. ${await ended}`, {
      cause: error,
    });
  }
}

async function connectWhenUp(runDirectory: string, over: () => boolean): Promise<AnvilSocket> {
  const { path, release } = socketPath(runDirectory, "anvil.ipc");
  try {
    for (const deadline = performance.now() + START_TIMEOUT_MS; ;) {
      try {
        return await AnvilSocket.open(path);
      } catch (error) {
        if (over() || performance.now() > deadline) throw error;
      }
      await sleep(5);
    }
  } finally {
    release();
  }
}

function anvilArguments(runDirectory: string, genesis: Genesis, stateFile: string | null): string[] {
  const fixed =
    "--quiet --no-mining --order fifo --hardfork cancun --base-fee 0 --gas-price 0 --accounts 0 " +
    "--prune-history --no-cors --no-request-size-limit --port 0";
  return [
    ...fixed.split(" "),
    ...["--host", unreachableHost(), "--ipc", "anvil.ipc", "--cache-path", join(runDirectory, "cache")],
    ...[
      "--chain-id",
      String(genesis.chainId),
      "--timestamp",
      String(genesis.timestamp),
      "--gas-limit",
      String(genesis.gasLimit),
    ],
    ...(stateFile === null ? [] : ["--load-state", stateFile]),
  ];
}

/**
 * The address of Anvil's HTTP port, which it always opens and which would give everybody on this machine all `anvil_*`
 * methods. Linux lets a program listen on a multicast address and never accepts a TCP connection to one, from any user;
 * a network namespace would need rights that a server does not have. Other systems refuse to listen there.
 */
function unreachableHost(): string {
  return process.platform === "linux" ? "239.255.255.254" : "127.0.0.1";
}

const require = createRequire(import.meta.url);

/** The path of the Anvil program for this platform. */
export function anvilBinary(): string {
  const architecture = process.arch === "x64" ? "amd64" : process.arch;
  const name = `@foundry-rs/anvil-${process.platform}-${architecture}`;
  try {
    const binary = join(dirname(require.resolve(`${name}/package.json`)), "bin", "anvil");
    if (existsSync(binary)) return binary;
  } catch {
    // Not installed: the error is thrown below.
  }
  throw new SealbookError(
    "anvil_missing",
    `The embedded chain needs the package ${name}, which is not installed (npm leaves it out with --omit=optional). ` +
      "For another chain set RPC_URL.",
  );
}

/** The longest path of a local socket that every supported system accepts (macOS: 104 bytes with the final zero). */
const LONGEST = 103;

/** A path of a socket in a folder, valid until it is released. */
interface SocketPath {
  readonly path: string;
  release(): void;
}

/** Returns a path for a socket in a folder with a path that may exceed the limit of socket paths. */
function socketPath(directory: string, name: string): SocketPath {
  const path = join(directory, name);
  if (Buffer.byteLength(path) <= LONGEST) return { path, release: () => undefined };
  if (process.platform !== "linux") {
    throw new SealbookError(
      "directory_unusable",
      `The path of the chain folder is too long for a local socket: ${path}`,
    );
  }
  const descriptor = openSync(directory, "r");
  return { path: `/proc/self/fd/${descriptor}/${name}`, release: () => closeSync(descriptor) };
}
