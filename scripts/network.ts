// Makes the files of a permissioned network of Besu validators, prepares its changes, and compares it with its files.
import { readFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { Argument, Command, InvalidArgumentError, Option } from "commander";
import { SealbookError } from "../server/errors.ts";
import { add, type Change, remove, replace } from "./network/change.ts";
import { checkFiles } from "./network/check-files.ts";
import { checkNodes } from "./network/check-nodes.ts";
import { operatorFolder } from "./network/credentials.ts";
import type { Folder } from "./network/folder.ts";
import { type Hosts, parseHosts } from "./network/hosts-file.ts";
import { init } from "./network/init.ts";
import { type Network, openNetwork } from "./network/network-file.ts";
import { doubtOf, planOf, type PlanOptions } from "./network/plan.ts";
import { dropOldAuthorities, rotate, rotateAuthority } from "./network/rotate.ts";
import { CommandFailure, runCommand } from "./proofs/run-command.ts";

const DEFAULT_CHAIN_ID = 7_330;
const BAD_USAGE = 2;

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
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError("is not a whole number above 0");
  return Number(text);
}

function rpcAddress(text: string, others: ReadonlyMap<string, string> = new Map()): ReadonlyMap<string, string> {
  const [, name, url] = /^([a-z0-9-]+)=(https?:\/\/.+)$/.exec(text) ?? [];
  if (name === undefined || url === undefined || !URL.canParse(url))
    throw new InvalidArgumentError("is not of the form NAME=https://HOST:PORT");
  return new Map([...others, [name, url]]);
}

async function readHosts(file: string): Promise<Hosts> {
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    throw new CommandFailure(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  });
  return parseHosts(text, basename(file));
}

/** Another exit code than that of a check which has found something. */
async function networkToCheck(directory: string): Promise<Network> {
  try {
    return await openNetwork(directory);
  } catch (error) {
    throw error instanceof SealbookError ? new CommandFailure(error.message, BAD_USAGE) : error;
  }
}

function report({ outcome: { written, kept, changed } }: Folder): void {
  console.log(written.length === 0 ? "Nothing was written." : `Written: ${written.length} files.`);
  if (kept.length > 0) console.log(`There before: ${kept.length} files.`);
  if (changed.length > 0) console.log(`Changed by hand, and left so: ${changed.join(", ")}`);
}

function reportChange({ folder, stepsFile, text }: Change): void {
  report(folder);
  console.log(`What is to be done, also in ${stepsFile}:\n\n${text}`);
}

const outOption = (): Option => new Option("--out <dir>", "folder of the network").makeOptionMandatory();
const hostsOption = (): Option =>
  new Option("--hosts <file>", "YAML file of the data centres; see docs/network.md").makeOptionMandatory();
const nameArgument = (what: string): Argument => new Argument("<name>", what);

const program = new Command("network").description(
  "Makes the files of a permissioned network, prepares its changes, and compares it with them.",
);

program
  .command("init")
  .description(
    "write everything that each data centre needs, into a folder of its own; again, it writes what is missing and changes nothing",
  )
  .addOption(hostsOption())
  .addOption(outOption())
  .addOption(
    new Option("--consensus <protocol>", "how the validators agree").choices(["ibft2", "qbft"]).makeOptionMandatory(),
  )
  .addOption(
    new Option("--validators <n>", "how many there are (default: as many as the hosts file has)").argParser(whole),
  )
  .addOption(
    new Option("--block-time <seconds>", "between blocks: 3 to 12, or others for trials").argParser(whole).default(5),
  )
  .addOption(
    new Option(
      "--empty-block-time <seconds>",
      "between blocks that nothing is in, with qbft (default: --block-time)",
    ).argParser(whole),
  )
  .addOption(
    new Option(
      "--request-timeout <seconds>",
      "until the validators give up a proposer (default: twice --block-time)",
    ).argParser(whole),
  )
  .addOption(new Option("--chain-id <n>", "of the network").argParser(whole).default(DEFAULT_CHAIN_ID))
  .addOption(
    new Option("--gas-limit <gas>", "of a block (default: what 100 records and 100 hashes a second take)").argParser(
      whole,
    ),
  )
  .action(async (options: InitOptions) => {
    const hosts = await readHosts(options.hosts);
    const plan = planOf(options, hosts.hosts.length);
    const { network, folder, keysElsewhere } = await init(resolve(options.out), { plan, hosts });
    const doubt = doubtOf(plan);
    if (doubt !== undefined) console.error(`network: ${doubt}`);
    report(folder);
    if (keysElsewhere.length > 0) console.log(`Node keys that are not here: ${keysElsewhere.join(", ")}`);
    console.log(`Hash of the genesis block: ${network.genesis.hash}`);
  });

program
  .command("add")
  .description(
    "prepare that a data centre of the hosts file becomes a validator: its folder, the new lists, and the votes",
  )
  .addArgument(nameArgument("data centre that joins"))
  .addOption(hostsOption())
  .addOption(outOption())
  .action(async (name: string, { out, hosts }: HostsOption) =>
    reportChange(await add(resolve(out), name, await readHosts(hosts))),
  );

program
  .command("remove")
  .description("prepare that a data centre is a validator no more: the new lists and the votes")
  .addArgument(nameArgument("data centre that leaves"))
  .addOption(outOption())
  .action(async (name: string, { out }: OutOption) => reportChange(await remove(resolve(out), name)));

program
  .command("replace")
  .description("prepare that one data centre comes for another, such as one that is lost")
  .addArgument(nameArgument("data centre that leaves"))
  .requiredOption("--by <name>", "data centre of the hosts file that joins")
  .addOption(hostsOption())
  .addOption(outOption())
  .action(async (name: string, { out, hosts, by }: HostsOption & { by: string }) =>
    reportChange(await replace(resolve(out), name, by, await readHosts(hosts))),
  );

program
  .command("rotate")
  .description("issue certificates and tokens anew; the nodes' keys stay")
  .argument("[name...]", "data centres and relayers (default: all)")
  .addOption(outOption())
  .addOption(
    new Option("--authority", "make a new authority instead, which everybody trusts beside the old one").conflicts(
      "dropOld",
    ),
  )
  .addOption(
    new Option("--drop-old", "trust the newest authority alone instead, when it has issued all that is in use"),
  )
  .action(async (names: string[], { out, authority, dropOld }: RotateOptions) => {
    const directory = resolve(out);
    if (names.length > 0 && (authority ?? dropOld) === true)
      throw new CommandFailure("an authority is everybody's: leave the names out", BAD_USAGE);
    report(
      await (authority === true
        ? rotateAuthority(directory)
        : dropOld === true
          ? dropOldAuthorities(directory)
          : rotate(directory, names)),
    );
    console.log("Copy the folders to their places, and start nodes and relayers again, one after the other.");
  });

program
  .command("check")
  .description("compare a running network, and its files, with network.json")
  .addOption(outOption())
  .addOption(
    new Option(
      "--rpc <name=url>",
      "where a node is asked, when not at its address of the hosts file; can be repeated",
    ).argParser(rpcAddress),
  )
  .option(
    "--client <dir>",
    "folder of the certificate to show: client.pem, client.key and ca.pem (default: each data centre's operator)",
  )
  .option("--files-only", "ask no node")
  .option("--json", "print a list of {where, what}")
  .addHelpText(
    "after",
    "\nExit code: 0 everything is as it should be, 1 something is not, 2 wrong usage or there is no network to check.",
  )
  .action(async ({ out, rpc = new Map(), client, filesOnly, json }: CheckOptions) => {
    const directory = resolve(out);
    const network = await networkToCheck(directory);
    const unknown = [...rpc.keys()].find((name) => !network.hosts.some((host) => host.name === name));
    if (unknown !== undefined) throw new CommandFailure(`--rpc: the network has no ${unknown}`, BAD_USAGE);
    const now = Date.now();
    const files = await checkFiles(directory, network, now);
    const nodes = filesOnly
      ? []
      : await checkNodes(
          directory,
          network,
          ({ name, address, rpcPort }) => ({
            url: rpc.get(name) ?? `https://${address}:${rpcPort}`,
            client: client === undefined ? join(directory, operatorFolder(name)) : resolve(client),
          }),
          now,
        );
    const findings = [...files, ...nodes];
    if (json === true) console.log(JSON.stringify(findings));
    else for (const { where, what } of findings) console.log(`${where}: ${what}`);
    if (findings.length > 0) process.exitCode = 1;
    else if (json !== true)
      console.log(filesOnly ? "The files are as they should be." : "The network is as its files say.");
  });

await runCommand(program);
