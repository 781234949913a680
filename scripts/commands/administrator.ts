import { Argument, Command } from "commander";
import { type Wallet, ZeroAddress } from "ethers";
import { RelayerRoles } from "../relayer/relayer-roles.ts";
import type { Address } from "../../server/chain/transaction.ts";
import { parseConfig } from "../../server/config/config.ts";
import { malformed, SealbookError } from "../../server/errors.ts";
import { parseAddress } from "../address.ts";
import { Administration, type ContractAdministrator } from "../relayer/administration.ts";
import { timeText } from "../time-text.ts";
import { usingChain } from "../using-chain.ts";
import { CommandFailure, type JsonOption, printLine, type Terminal } from "./run-command.ts";

interface Opened {
  readonly administration: Administration;
  readonly roles: RelayerRoles;
  readonly key: Wallet | undefined;
}

async function withAdministration(terminal: Terminal, work: (opened: Opened) => Promise<void>): Promise<void> {
  const config = parseConfig(terminal.variables, { relays: false }).chain;
  await usingChain(config, ({ rpc, deployment, administrator }) => {
    const administration = new Administration(rpc, deployment, config.fees);
    return work({ administration, roles: new RelayerRoles(rpc, deployment), key: administrator });
  });
}

function keyOf({ key }: Opened): Wallet {
  if (key !== undefined) return key;
  throw new SealbookError("config_invalid", "ADMIN_KEY is needed to transfer the administrator's role");
}

/** Returns the contracts that a key administers. @throws CommandFailure when it administers none */
function administeredBy({ address }: Wallet, list: readonly ContractAdministrator[]): ContractAdministrator[] {
  const held = list.filter(({ administrator }) => administrator === address);
  if (held.length > 0) return held;
  throw new CommandFailure(`ADMIN_KEY, whose address is ${address}, administers none of the contracts`);
}

async function transfer(opened: Opened, to: Address): Promise<void> {
  const { administration, roles } = opened;
  const key = keyOf(opened);
  if (to === key.address) throw malformed("ADDRESS", "is the administrator already");
  if ((await roles.heldBy(to)).length > 0)
    throw new CommandFailure(`${to} is a relayer: the administrator needs a key of its own`);
  for (const { contract, pending } of administeredBy(key, await administration.list())) {
    if (pending?.administrator === to) continue;
    await administration.begin(contract, to, key);
  }
}

async function accept(opened: Opened): Promise<void> {
  const { administration } = opened;
  const key = keyOf(opened);
  const offered = (await administration.list()).filter(({ pending }) => pending?.administrator === key.address);
  if (offered.length === 0)
    throw new CommandFailure(`no transfer to ${key.address}, the address of ADMIN_KEY, is pending`);
  const due = Math.max(...offered.map(({ pending }) => pending?.acceptableAfter ?? 0));
  // A block at the very second is too early.
  if ((await administration.now()) < due)
    throw new CommandFailure(`the transfer can be accepted after ${timeText(due)}`);
  for (const { contract } of offered) await administration.accept(contract, key);
}

async function cancel(opened: Opened): Promise<void> {
  const { administration } = opened;
  const key = keyOf(opened);
  for (const { contract, pending } of administeredBy(key, await administration.list()))
    if (pending !== undefined) await administration.cancel(contract, key);
}

async function print(terminal: Terminal, { administration }: Opened, json: true | undefined): Promise<void> {
  const list = await administration.list();
  if (json === true) {
    const rows = list.map(({ contract, administrator, delaySeconds, pending }) => ({
      contract,
      administrator: administrator === ZeroAddress ? null : administrator,
      delay_seconds: delaySeconds,
      pending: pending === undefined ? null : { to: pending.administrator, acceptable_after: pending.acceptableAfter },
    }));
    return printLine(terminal, JSON.stringify(rows));
  }
  for (const { contract, administrator, delaySeconds, pending } of list) {
    const current = administrator === ZeroAddress ? "no administrator" : administrator;
    printLine(terminal, `${contract.padEnd(16)} ${current}  delay ${delaySeconds} s`);
    if (pending === undefined) continue;
    const to = pending.administrator === ZeroAddress ? "nobody: the role ends" : pending.administrator;
    printLine(terminal, `  pending: ${to}, after ${timeText(pending.acceptableAfter)}`);
  }
}

/** Creates the command `administrator`. */
export function administratorCommand(terminal: Terminal): Command {
  const program = new Command("administrator");
  const json = ["--json", "print a list of {contract, administrator, delay_seconds, pending}"] as const;
  const add = (name: string, description: string, work: (opened: Opened) => Promise<void>): void => {
    program
      .command(name)
      .description(description)
      .option(...json)
      .action((options: JsonOption) =>
        withAdministration(terminal, async (opened) => {
          await work(opened);
          await print(terminal, opened, options.json);
        }),
      );
  };

  add("show", "show the administrator of each contract, and a pending transfer", async () => undefined);
  program
    .command("transfer")
    .description("first step: propose a new administrator, who accepts after the delay; ADMIN_KEY is the present one's")
    .addArgument(new Argument("<address>", "address of the new administrator: a key, a multisig or a timelock"))
    .option(...json)
    .action((text: string, options: JsonOption) => {
      const to = parseAddress("ADDRESS", text);
      if (to === ZeroAddress) throw malformed("ADDRESS", "the zero address can accept nothing");
      return withAdministration(terminal, async (opened) => {
        await transfer(opened, to);
        await print(terminal, opened, options.json);
      });
    });
  add("accept", "second step: accept the role; ADMIN_KEY is the new administrator's", accept);
  add("cancel", "cancel a pending transfer; ADMIN_KEY is the present administrator's", cancel);
  return program;
}
