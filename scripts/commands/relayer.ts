import { existsSync } from "node:fs";
import { Argument, Command } from "commander";
import { Wallet, ZeroAddress } from "ethers";
import { makeKeystore } from "../relayer/make-keystore.ts";
import type { KeystoreFiles } from "../../server/chain/keys/keystore.ts";
import { RelayerRoles } from "../relayer/relayer-roles.ts";
import type { Deployment } from "../../server/chain/contracts/deployment.ts";
import { type ChainConfig, parseConfig } from "../../server/config/config.ts";
import { type Address, CONTRACT_NAMES, type ContractName } from "../../server/chain/transaction.ts";
import { malformed, SealbookError } from "../../server/errors.ts";
import { parseAddress } from "../address.ts";
import { CommandFailure, type JsonOption, printLine, type Terminal } from "./run-command.ts";
import { usingChain } from "../using-chain.ts";

interface Opened {
  readonly roles: RelayerRoles;
  readonly deployment: Deployment;
  readonly administrator: Wallet | undefined;
  readonly config: ChainConfig;
}

/** Opens the chain for the duration of the work. */
async function withRoles(terminal: Terminal, work: (opened: Opened) => Promise<void>): Promise<void> {
  const config = parseConfig(terminal.variables, { relays: false }).chain;
  await usingChain(config, async (link) => {
    const roles = new RelayerRoles(link.rpc, link.deployment);
    await work({ roles, ...link, config });
  });
}

/** @throws CommandFailure before anything is sent, unless the administrator may change all of the contracts */
async function administratorOf(
  { roles, deployment, administrator }: Opened,
  contracts: readonly ContractName[],
): Promise<Wallet> {
  if (administrator === undefined)
    throw new SealbookError("config_invalid", "ADMIN_KEY is needed to change who relays");
  const administered = await roles.administeredBy(administrator.address);
  const foreign = contracts.filter((contract) => !administered.includes(contract));
  if (foreign.length === 0) return administrator;
  const listed = foreign.map((contract) => `${contract} (${deployment.contracts[contract]})`).join(", ");
  throw new CommandFailure(
    `ADMIN_KEY, whose address is ${administrator.address}, is not the administrator of ${listed}`,
  );
}

async function change(
  kind: "grant" | "revoke",
  opened: Opened,
  address: Address,
  contracts: readonly ContractName[],
): Promise<void> {
  if (contracts.length === 0) return;
  const administrator = await administratorOf(opened, contracts);
  for (const contract of contracts) {
    await opened.roles.change(kind, contract, address, administrator, opened.config.fees);
  }
}

/** @throws CommandFailure unless the relayer's key is in a keystore */
function keystoreOf({ relayer }: ChainConfig): KeystoreFiles {
  if (relayer?.kind === "keystore") return relayer;
  throw new CommandFailure("this is for a relayer whose key is in RELAYER_KEYSTORE_FILE");
}

/** Prints the change of the role on each contract. */
function report(
  terminal: Terminal,
  address: Address,
  states: readonly (readonly [ContractName, string])[],
  changed: number,
  json?: true,
): void {
  if (json === true) return printLine(terminal, JSON.stringify({ address, contracts: Object.fromEntries(states) }));
  for (const [contract, state] of states) printLine(terminal, `${contract.padEnd(16)} ${state}`);
  if (changed === 0) printLine(terminal, `There was nothing to do for ${address}; nothing was sent.`);
}

/** @throws CommandFailure with the contracts that would have no relayer left */
async function assertOthers(roles: RelayerRoles, address: Address, contracts: readonly ContractName[]): Promise<void> {
  const others = (await roles.list()).filter((relayer) => relayer.address !== address);
  const alone = contracts.filter((contract) => !others.some((relayer) => relayer.contracts.includes(contract)));
  if (alone.length === 0) return;
  throw new CommandFailure(
    `${address} is the only relayer of ${alone.join(", ")}: without it nothing can be written there. ` +
      "Grant another one first, or use --force",
  );
}

/** Creates the command `relayer`. */
export function relayerCommand(terminal: Terminal): Command {
  const program = new Command("relayer");

  program
    .command("key")
    .description("make a key for RELAYER_KEY or ADMIN_KEY, and print its address and the key, which is not stored")
    .option("--json", "print {address, key}")
    .action(({ json }: JsonOption) => {
      const { address, privateKey: key } = Wallet.createRandom();
      printLine(terminal, json === true ? JSON.stringify({ address, key }) : `${address} ${key}`);
    });

  program
    .command("list")
    .description("list who may write to which contract, the first relayer first")
    .option("--json", "print a list of {address, contracts, administrator}")
    .action(({ json }: JsonOption) =>
      withRoles(terminal, async ({ roles }) => {
        const relayers = await roles.list();
        if (json === true) return printLine(terminal, JSON.stringify(relayers));
        if (relayers.length === 0) printLine(terminal, "No account may write to the contracts.");
        for (const { address, contracts, administrator } of relayers) {
          const held = CONTRACT_NAMES.map((name) => (contracts.includes(name) ? name : "-").padEnd(name.length));
          printLine(terminal, [address, ...held, administrator ? "administrator as well" : ""].join("  ").trimEnd());
        }
      }),
    );

  program
    .command("grant")
    .description("let a relayer's key write to all the contracts; what it may already stays as it is")
    .addArgument(new Argument("<address>", "address of the relayer's key"))
    .option("--json", "print {address, contracts}: for each contract granted, or held before")
    .action(async (text: string, { json }: JsonOption) => {
      const address = parseAddress("ADDRESS", text);
      if (address === ZeroAddress) throw malformed("ADDRESS", "the zero address has no key");
      await withRoles(terminal, async (opened) => {
        const { roles } = opened;
        const held = await roles.heldBy(address);
        const lacking = CONTRACT_NAMES.filter((contract) => !held.includes(contract));
        if (lacking.length > 0 && (await roles.administeredBy(address)).length > 0) {
          throw new CommandFailure(
            `${address} is the administrator's: a relayer needs a key of its own, for its nonces and rights`,
          );
        }
        await change("grant", opened, address, lacking);
        const states = CONTRACT_NAMES.map((name) => [name, held.includes(name) ? "held before" : "granted"] as const);
        report(terminal, address, states, lacking.length, json);
      });
    });

  program
    .command("revoke")
    .description("let a relayer's key write to no contract any more")
    .addArgument(new Argument("<address>", "address of the relayer's key"))
    .option("--force", "also for the last relayer")
    .option("--json", "print {address, contracts}: for each contract revoked, or not held")
    .action(async (text: string, { json, force }: JsonOption & { force?: true }) => {
      const address = parseAddress("ADDRESS", text);
      await withRoles(terminal, async (opened) => {
        const { roles } = opened;
        const held = await roles.heldBy(address);
        if (held.length > 0 && force !== true) await assertOthers(roles, address, held);
        await change("revoke", opened, address, held);
        const states = CONTRACT_NAMES.map((name) => [name, held.includes(name) ? "revoked" : "not held"] as const);
        report(terminal, address, states, held.length, json);
      });
    });

  program
    .command("keystore")
    .description(
      "make a key in RELAYER_KEYSTORE_FILE, which must not exist, and print its address; then grant it its roles",
    )
    .action(async () => {
      const files = keystoreOf(parseConfig(terminal.variables, { relays: false }).chain);
      if (existsSync(files.file)) throw new CommandFailure(`there is a keystore in ${files.file} already`);
      printLine(terminal, await makeKeystore(files));
    });

  return program;
}
