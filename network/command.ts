import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { Argument, Command, InvalidArgumentError, Option } from "commander";
import { reasonOf, SealbookError } from "../server/errors.ts";
import { add, type Change, remove, replace } from "./change.ts";
import { checkFiles } from "./check-files.ts";
import { type Access, checkNodes } from "./check-nodes.ts";
import { operatorFolder } from "./credentials.ts";
import type { Folder } from "./folder.ts";
import { type Hosts, parseHosts } from "./hosts-file.ts";
import { init } from "./init.ts";
import { type Network, type NetworkHost, openNetwork } from "./network-file.ts";
import { doubtOf, planOf, type PlanOptions } from "./plan.ts";
import { dropOldAuthorities, rotate, rotateAuthority } from "./rotate.ts";
import { BAD_USAGE, CommandFailure, printLine, type Terminal } from "../scripts/commands/run-command.ts";

interface OutOption {
  readonly out: string;
}

interface HostsOption extends OutOption {
  readonly hosts: string;
}

type InitOptions = HostsOption & PlanOptions;

interface RotateOptions extends OutOption {
  readonly authority?: true;
  readonly dropOld?: true;
}

interface CheckOptions extends OutOption {
  readonly rpc?: ReadonlyMap<string, string>;
  readonly client?: string;
  readonly filesOnly?: true;
  readonly json?: true;
}

function whole(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError("It must be a whole number above 0.");
  return Number(text);
}

function rpcAddress(text: string, others: ReadonlyMap<string, string> = new Map()): ReadonlyMap<string, string> {
  const [, name, url] = /^([a-z0-9-]+)=(https?:\/\/.+)$/.exec(text) ?? [];
  if (name === undefined || url === undefined || !URL.canParse(url))
    throw new InvalidArgumentError("It must have the form NAME=https://HOST:PORT.");
  return new Map([...others, [name, url]]);
}

async function readHosts(file: string): Promise<Hosts> {
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    throw new CommandFailure(`${file} cannot be read: ${reasonOf(error)}`);
  });
  return parseHosts(text, basename(file));
}

/** Opens the network; a failure has a different exit code than a check with findings. */
async function networkToCheck(directory: string): Promise<Network> {
  try {
    return await openNetwork(directory);
  } catch (error) {
    throw error instanceof SealbookError ? new CommandFailure(error.message, BAD_USAGE) : error;
  }
}

function report(terminal: Terminal, { outcome: { written, kept, changed } }: Folder): void {
  printLine(terminal, written.length === 0 ? "Nothing was written." : `Written: ${written.length} files.`);
  if (kept.length > 0) printLine(terminal, `Unchanged: ${kept.length} files.`);
  if (changed.length > 0) printLine(terminal, `Edited by hand, not overwritten: ${changed.join(", ")}`);
}

function reportChange(terminal: Terminal, { folder, stepsFile, text }: Change): void {
  report(terminal, folder);
  printLine(terminal, `Steps, also written to ${stepsFile}:\n\n${text}`);
}

const outOption = (): Option => new Option("--out <dir>", "folder of the network").makeOptionMandatory();
const hostsOption = (): Option =>
  new Option("--hosts <file>", "YAML file of the data centres; see docs/network.md").makeOptionMandatory();
const nameArgument = (description: string): Argument => new Argument("<name>", description);

/** Creates the command `network`. */
export function networkCommand(terminal: Terminal): Command {
  const program = new Command("network");

  program
    .command("init")
    .description("write the files of each data centre to a folder; repeated, write missing files and changed relayers")
    .addOption(hostsOption())
    .addOption(outOption())
    .addOption(
      new Option("--consensus <protocol>", "consensus protocol").choices(["ibft2", "qbft"]).makeOptionMandatory(),
    )
    .addOption(
      new Option("--validators <n>", "number of validators (default: all hosts of the hosts file)").argParser(whole),
    )
    .addOption(
      new Option("--block-time <seconds>", "time between blocks: 3 to 12, other values for tests")
        .argParser(whole)
        .default(5),
    )
    .addOption(
      new Option(
        "--empty-block-time <seconds>",
        "time between empty blocks, with qbft (default: --block-time)",
      ).argParser(whole),
    )
    .addOption(
      new Option("--request-timeout <seconds>", "time until a round change (default: twice --block-time)").argParser(
        whole,
      ),
    )
    .addOption(new Option("--chain-id <n>", "chain id (default: a random one for each new network)").argParser(whole))
    .addOption(
      new Option(
        "--gas-limit <gas>",
        "gas limit of a block (default: for 100 records and 100 hashes per second)",
      ).argParser(whole),
    )
    .action(async (options: InitOptions) => {
      const hosts = await readHosts(options.hosts);
      const plan = planOf(options, hosts.hosts.length);
      const { network, folder, keysElsewhere } = await init(resolve(options.out), { plan, hosts });
      const doubt = doubtOf(plan);
      if (doubt !== undefined) terminal.stderr.write(`network: ${doubt}\n`);
      report(terminal, folder);
      if (keysElsewhere.length > 0) printLine(terminal, `Node keys stored elsewhere: ${keysElsewhere.join(", ")}`);
      printLine(terminal, `Hash of the genesis block: ${network.genesis.hash}`);
    });

  program
    .command("add")
    .description("prepare the addition of a validator: its folder, the new peer lists, and the votes")
    .addArgument(nameArgument("data centre that joins"))
    .addOption(hostsOption())
    .addOption(outOption())
    .action(async (name: string, { out, hosts }: HostsOption) =>
      reportChange(terminal, await add(resolve(out), name, await readHosts(hosts))),
    );

  program
    .command("remove")
    .description("prepare the removal of a validator: the new peer lists and the votes")
    .addArgument(nameArgument("data centre that leaves"))
    .addOption(outOption())
    .action(async (name: string, { out }: OutOption) => reportChange(terminal, await remove(resolve(out), name)));

  program
    .command("replace")
    .description("prepare the replacement of a validator, such as a lost one")
    .addArgument(nameArgument("data centre that leaves"))
    .requiredOption("--by <name>", "data centre of the hosts file that joins")
    .addOption(hostsOption())
    .addOption(outOption())
    .action(async (name: string, { out, hosts, by }: HostsOption & { by: string }) =>
      reportChange(terminal, await replace(resolve(out), name, by, await readHosts(hosts))),
    );

  program
    .command("rotate")
    .description("reissue certificates and tokens; node keys do not change")
    .argument("[name...]", "data centres and relayers (default: all)")
    .addOption(outOption())
    .addOption(
      new Option("--authority", "create a new authority instead, trusted in addition to the old one").conflicts(
        "dropOld",
      ),
    )
    .addOption(new Option("--drop-old", "trust only the newest authority, after it has issued all certificates in use"))
    .action(async (names: string[], { out, authority, dropOld }: RotateOptions) => {
      const directory = resolve(out);
      if (names.length > 0 && (authority ?? dropOld) === true)
        throw new CommandFailure("--authority and --drop-old apply to the whole network; omit the names", BAD_USAGE);
      report(
        terminal,
        await (authority === true
          ? rotateAuthority(directory)
          : dropOld === true
            ? dropOldAuthorities(directory)
            : rotate(directory, names)),
      );
      printLine(terminal, "Copy the folders to their machines, and restart nodes and relayers one at a time.");
    });

  program
    .command("check")
    .description("check the files and the running network against network.json")
    .addOption(outOption())
    .addOption(
      new Option(
        "--rpc <name=url>",
        "RPC address of a node (default: its address in the hosts file); repeatable",
      ).argParser(rpcAddress),
    )
    .option(
      "--client <dir>",
      "folder of the client certificate: client.pem, client.key and ca.pem (default: each data centre's operator)",
    )
    .option("--files-only", "do not query nodes")
    .option("--json", "print a list of {where, what}")
    .addHelpText("after", "\nExit code: 0 no findings, 1 findings, 2 wrong usage or no network.")
    .action(async ({ out, rpc = new Map(), client, filesOnly, json }: CheckOptions) => {
      const directory = resolve(out);
      const network = await networkToCheck(directory);
      const unknown = [...rpc.keys()].find((name) => !network.hosts.some((host) => host.name === name));
      if (unknown !== undefined) throw new CommandFailure(`--rpc: the network has no ${unknown}`, BAD_USAGE);
      const now = Date.now();
      const folderOf = (name: string): string =>
        client === undefined ? join(directory, operatorFolder(name)) : resolve(client);
      // A data centre has its own folder only.
      const away = network.hosts.filter(
        ({ name }) => filesOnly !== true && client === undefined && !rpc.has(name) && !existsSync(folderOf(name)),
      );
      const queriesNone = filesOnly === true || away.length === network.hosts.length;
      const isHere = ({ name }: { readonly name: string }): boolean => existsSync(join(directory, name));
      if (queriesNone && ![...network.hosts, ...network.relayers].some(isHere))
        throw new CommandFailure(`${directory} has no folder of a data centre or a relayer to check`, BAD_USAGE);
      const accessOf = (host: NetworkHost): Access | undefined =>
        away.includes(host)
          ? undefined
          : { url: rpc.get(host.name) ?? `https://${host.address}:${host.rpcPort}`, client: folderOf(host.name) };
      const files = await checkFiles(directory, network, now);
      const nodes = filesOnly ? [] : await checkNodes(directory, network, accessOf, now);
      const findings = [...files, ...nodes];
      const names = away.map(({ name }) => name).join(", ");
      if (away.length > 0)
        terminal.stderr.write(
          `Not queried, because their folders are not here: ${names}; --client DIR queries them.\n`,
        );
      if (json === true) printLine(terminal, JSON.stringify(findings));
      else for (const { where, what } of findings) printLine(terminal, `${where}: ${what}`);
      if (findings.length > 0) terminal.exit(1);
      else if (json !== true)
        printLine(
          terminal,
          queriesNone
            ? "The files match network.json."
            : away.length > 0
              ? "What is here and its nodes match network.json."
              : "The network matches its files.",
        );
    });

  return program;
}
