import { existsSync } from "node:fs";
import { Command } from "commander";
import { openContracts } from "../../server/composition/chain.ts";
import type { ContractsLink } from "../../server/composition/chain-link.ts";
import { keysFile } from "../../server/composition/embedded-chain.ts";
import { VerifiedChain } from "../../server/chain/evidence/verified-chain.ts";
import { ProofAnchorClient } from "../../server/chain/contracts/proof-anchor-client.ts";
import {
  type Deployment,
  deploymentFile,
  readDeployment,
  writeDeployment,
  deploymentName,
  parseDeploymentName,
} from "../../server/chain/contracts/deployment.ts";
import { type ChainConfig, type Config, parseConfig } from "../../server/config/config.ts";
import { holdJournal } from "../../server/composition/offline-journal.ts";
import { holdDataFolder } from "../../server/composition/data-folder.ts";
import { ReplicaFault } from "../../server/journal/replication/replica-object.ts";
import { findNewestObject, replicatedJournal } from "../../server/journal/replication/replica-reader.ts";
import type { ObjectStore } from "../../server/journal/replication/object-store.ts";
import type { Database } from "../../server/journal/engine/database.ts";
import type { JournalKey } from "../../server/journal/integrity/journal-key.ts";
import { chainIdentityStore, newestContract } from "../../server/journal/contract-store.ts";
import {
  hasJournal,
  journalKeyFile,
  missingFile,
  openJournalToRead,
  readJournalKey,
} from "../../server/composition/journal-database.ts";
import { readHead } from "../../server/journal/entries/journal-rows.ts";
import { recordIndexStore } from "../../server/records/record-index.ts";
import { appendReason, assertNoKey, type ProvedExtent, provedExtent, storeKey, writeUnderNewKey } from "./new-key.ts";
import { assertChainMade } from "../using-chain.ts";
import { ChainGuard } from "../../server/chain/identity.ts";
import { JournalRebuild } from "./rebuild.ts";
import { reasonOf } from "../../server/errors.ts";
import { FindingsFile } from "../../server/journal/findings/findings-file.ts";
import { Stages } from "./stages.ts";
import { openStore } from "../../server/journal/replication/open-store.ts";
import { parseTargets, type TargetAddress } from "../../server/journal/replication/targets.ts";
import { assertEmpty, copyRows, prepareRestore, type Restored, restoreTables } from "./restore.ts";
import { BAD_USAGE, CommandFailure, printLine, type Terminal } from "../commands/run-command.ts";
import { continuesSeen, OTHER_JOURNAL } from "./seen-head.ts";

interface Options {
  readonly from?: string;
  readonly newKey?: true;
  readonly reason?: string;
  readonly accept?: true;
}

/** Creates the command `journal restore`. */
export function restoreCommand(terminal: Terminal): Command {
  return new Command("restore")
    .description("Builds the journal again from a replica, or its tables from its own rows, with all servers stopped.")
    .option("--from <target>", "a replica, for an empty database: file:///PATH or s3://BUCKET/PREFIX")
    .option("--new-key", "write the rows under a new key, when the journal's key is lost")
    .option("--reason <text>", "what happened to the key; part of the journal")
    .option("--accept", "with --new-key: accept the entries after the newest checkpoint on chain")
    .addHelpText(
      "after",
      `
Every entry is checked on the way. All is restored or nothing: when it is interrupted or something is wrong, the
database stays as it was. With --from, the rows of the replica are written into an empty database. Without, the rows are
those of the database. The tables for finding, such as the index of proofs, are written again from the rows, which must
have been written with the journal's key. With --new-key the rows get new codes. The chain proves them up to the newest
checkpoint; those after it are as the source has them: without --accept the command only says how many there are.
What no entry confirms is looked up on the chain, and anchored by the server's next start when it is not there.
The chain is that of RPC_URL, or the embedded one in DATA_DIR. The records of accounts come back from the chain at the
server's next start. Into an empty database no session comes back: all accounts log in again.
Exit code: 0 restored, 1 not restored or not whole, 2 wrong usage.`,
    )
    .action(async (options: Options) => {
      const { newKey, reason } = options;
      if (newKey && (reason === undefined || reason.trim() === ""))
        throw new CommandFailure("--new-key needs --reason", BAD_USAGE);
      const { entries, proofs, confirmedSince, pending, isBehind } = await run(terminal, options);
      printLine(
        terminal,
        `Restored ${entries} entries, of which ${proofs} proofs. ` +
          `${confirmedSince} of them were confirmed on the chain without an entry; ${pending} are ` +
          "to be anchored yet.",
      );
      if (isBehind) printLine(terminal, OTHER_JOURNAL);
    });
}

type Result = Restored & { readonly isBehind: boolean };

async function run(terminal: Terminal, options: Options): Promise<Result> {
  const config = parseConfig(terminal.variables, { relays: false });
  await using opened = new AsyncDisposableStack();
  const lock = await holdDataFolder(config.dataDirectory);
  opened.defer(() => lock.release());
  const progress = new Stages();
  opened.defer(() => progress.stop());
  if (options.newKey) assertNoKey(config);
  try {
    const source = await openSource(config, options);
    opened.defer(() => source.close());
    opened.use(await holdJournal(config));
    return await restore(terminal, config, options, source, progress);
  } catch (error) {
    if (error instanceof ReplicaFault || error instanceof RangeError)
      throw new CommandFailure(`${error.message}. Nothing was restored`);
    throw error;
  }
}

interface Replica {
  readonly store: ObjectStore;
  /** Name of the journal. */
  readonly journal: string;
}

/** What a journal is restored from: a replica, or its own rows. */
interface Source {
  readonly replica: Replica | undefined;
  readonly database: Database;
  /** `undefined` when there is no file with it. */
  readonly key: JournalKey | undefined;
  readonly link: ContractsLink;
  close(): Promise<void>;
}

async function openSource(config: Config, { from, newKey }: Options): Promise<Source> {
  await using opened = new AsyncDisposableStack();
  const found =
    from === undefined ? await openRows(config, opened) : await openReplicated(config, opened, from, newKey);
  if (found.key === undefined && !newKey) throw keyMissing(config);
  const resources = opened.move();
  return { ...found, close: () => resources.disposeAsync() };
}

async function openRows(config: Config, opened: AsyncDisposableStack): Promise<Omit<Source, "close">> {
  const missing = missingFile(config.database);
  if (missing !== undefined) throw new CommandFailure(`there is no database at ${missing}: name a replica with --from`);
  await assertChainMade(config.chain);
  const { database, key } = await openJournalToRead(config);
  opened.defer(() => database.destroy());
  return { replica: undefined, database, key, link: await openLink(config, opened, database) };
}

/** The database is made last: with the tables of a journal in it, a server would begin a new one. */
async function openReplicated(
  config: Config,
  opened: AsyncDisposableStack,
  from: string,
  newKey: boolean | undefined,
): Promise<Omit<Source, "close">> {
  const known = await readJournalKey(journalKeyFile(config));
  if (known === undefined && !newKey) throw keyMissing(config);
  if (await hasJournal(config.database)) {
    const { database } = await openJournalToRead(config);
    await assertEmpty(database).finally(() => database.destroy());
  }
  const replica = await openReplica(config, from, known);
  const link = await openLink(config, opened);
  const here = deploymentName(link.deployment);
  if (here !== replica.journal) throw new CommandFailure(`the replica belongs to ${replica.journal}; here is ${here}`);
  const { database, key } = await openJournalToRead(config);
  opened.defer(() => database.destroy());
  return { replica, database, key, link };
}

function keyMissing(config: Config): CommandFailure {
  return new CommandFailure(`${journalKeyFile(config)} is missing: restore it from a backup, or use --new-key`);
}

/** @param database A journal with the chain and the contracts that are expected */
async function openLink(config: Config, opened: AsyncDisposableStack, database?: Database): Promise<ContractsLink> {
  const guard = database && (await ChainGuard.open(chainIdentityStore(database), await newestContract(database)));
  const link = await openContracts(config.chain, {
    share: true,
    ...(guard === undefined ? {} : { guard }),
    onEvent: () => undefined,
  });
  opened.defer(() => link.close());
  guard?.begin(link.deployment.contracts);
  return link;
}

async function restore(
  terminal: Terminal,
  config: Config,
  { newKey, reason = "", accept }: Options,
  { replica, database, key, link }: Source,
  progress: Stages,
): Promise<Result> {
  const chain = anchorsOf(link, config);
  // For the progress only; a fault is found where it is.
  const newest = replica && (await findNewestObject(replica.store, 0).catch(() => undefined));
  const findings = new FindingsFile(config.dataDirectory);
  const found = await findings.read();
  let file: string | undefined;
  const result = await database.transaction().execute(async (transaction) => {
    await prepareRestore(transaction);
    if (replica !== undefined) {
      await copyRows(transaction, replica.store, key, (done) =>
        progress.update("copying entries", "entries", done, newest?.last ?? 0),
      );
    }
    const { sequence: total } = await readHead(transaction);
    const onEntries = (stage: string) => (done: number) => progress.update(stage, "entries", done, total);
    const extent = newKey ? await provedExtent(transaction, chain, onEntries("checking entries")) : undefined;
    if (extent !== undefined) assertAccepted(terminal, extent, accept === true);
    const used = extent === undefined ? key : await writeUnderNewKey(transaction, extent);
    if (used === undefined) throw new RangeError("the journal has no key");
    const rebuild = new JournalRebuild(transaction, used, link.deployment.contracts.ProofAnchor);
    const restored = await restoreTables(rebuild, chain, onEntries("restoring entries"));
    await recordIndexStore(transaction, used, config.records.tableName).drop();
    if (extent !== undefined) {
      await appendReason(transaction, used, extent, reason);
      // Before the commit: a journal without its key would be lost.
      file = await storeKey(config, used);
    }
    return { ...restored, isBehind: !(await continuesSeen(config.dataDirectory, transaction)) };
  });
  if (file !== undefined) printLine(terminal, `The journal is written under the key in ${file}.`);
  // The next start compares everything, and ends what is repaired.
  await findings.write({ ...found, checkedAt: undefined, block: undefined }).catch((error: unknown) => {
    const text = `journal.findings cannot be written (${reasonOf(error)}): remove it before the next start.`;
    printLine(terminal, text);
  });
  return result;
}

function assertAccepted(terminal: Terminal, { checkpoint, newest }: ProvedExtent, isAccepted: boolean): void {
  printLine(terminal, `The chain proves the entries up to ${checkpoint} of ${newest}.`);
  const others = newest - checkpoint;
  if (others > 0 && !isAccepted)
    throw new CommandFailure(`${others} entries are not proved: accept them with --accept, or restore a replica`);
}

function anchorsOf({ rpc, deployment }: ContractsLink, { chain }: Config): ProofAnchorClient {
  return new ProofAnchorClient(rpc, deployment.contracts.ProofAnchor, {
    firstBlock: deployment.firstBlock,
    chain: new VerifiedChain(rpc, { validatorNames: chain.validatorNames }),
  });
}

/** Opens a replica, and writes the addresses of its contracts into an empty data folder. */
async function openReplica(config: Config, from: string, key: JournalKey | undefined): Promise<Replica> {
  const store = await openStore(parseAddress(from));
  const journal = await replicatedJournal(store, key);
  if (journal === undefined) throw new CommandFailure(`there is no replica at ${store.name}`);
  const deployment = parseDeploymentName(journal);
  if (deployment === undefined)
    throw new CommandFailure(`${store.name} names a journal that cannot be understood: ${journal}`);
  await keepDeployment(config.chain, deployment);
  return { store, journal };
}

async function keepDeployment(
  { dataDirectory, node, relayer, administratorKey }: ChainConfig,
  deployment: Deployment,
): Promise<void> {
  const file = deploymentFile(dataDirectory, deployment.chainId);
  if (node.kind === "embedded") {
    if (!existsSync(node.directory)) {
      throw new CommandFailure(
        `there is no chain in ${dataDirectory}: set RPC_URL, or put the folder of the embedded chain back first`,
      );
    }
    // New keys would have no roles on the existing contracts.
    const hasKeys = existsSync(keysFile(dataDirectory)) || (relayer !== undefined && administratorKey !== undefined);
    if (!hasKeys)
      throw new CommandFailure(`${keysFile(dataDirectory)} is missing: put the keys of the embedded chain back, too`);
  }
  if ((await readDeployment(file)) === undefined) await writeDeployment(file, deployment);
}

function parseAddress(text: string): TargetAddress {
  const { targets, faults } = parseTargets(text);
  const [target] = targets;
  if (faults.length > 0 || target === undefined || targets.length > 1) {
    throw new CommandFailure(faults.join("; ") || "--from takes one replica");
  }
  return target;
}
