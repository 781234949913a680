import { existsSync } from "node:fs";
import { Presets, SingleBar } from "cli-progress";
import { Command } from "commander";
import { openContracts } from "../../server/composition/chain.ts";
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
import { holdDataFolder } from "../../server/composition/data-folder.ts";
import { SegmentFault } from "../../server/journal/replication/segment.ts";
import { journalName } from "../../server/journal/contract-store.ts";
import { openJournalToAppend } from "../../server/composition/journal-database.ts";
import { rebuildJournal } from "./rebuild.ts";
import { journalAt, openTarget } from "../../server/journal/replication/open-target.ts";
import { parseTargets, type TargetAddress } from "../../server/journal/replication/targets.ts";
import { restoreJournal, type Restored } from "./restore.ts";
import { CommandFailure, printLine, type Terminal } from "../commands/run-command.ts";
import { continuesSeen, OTHER_JOURNAL } from "./seen-head.ts";

interface Options {
  readonly from: string;
}

/** Creates the command `journal restore`. */
export function restoreCommand(terminal: Terminal): Command {
  return new Command("restore")
    .description("Builds the journal of an empty database again from a replica and the chain, with the server stopped.")
    .requiredOption("--from <target>", "the replica: file:///PATH or s3://BUCKET/PREFIX, as in REPLICA_TARGETS")
    .addHelpText(
      "after",
      `
Every entry is checked on the way: each segment's file and digest, and that nothing is missing between them. All is
restored or nothing: when it is interrupted or something is wrong, the database stays empty. What the replica has no
confirmation of is looked up on the chain, and anchored by the server's next start when it is not there.
The chain is that of RPC_URL, or the embedded one in DATA_DIR. The records of accounts come back from the chain at the
server's next start; sessions do not, and all accounts log in again.
Exit code: 0 restored, 1 not restored or not whole, 2 wrong usage.`,
    )
    .action(async ({ from }: Options) => {
      const address = parseAddress(from);
      const config = parseConfig(terminal.variables, { relays: false });
      const { entries, proofs, confirmedSince, pending, isBehind } = await restore(config, address);
      printLine(
        terminal,
        `Restored ${entries} entries, of which ${proofs} proofs. ` +
          `${confirmedSince} of them were confirmed by the chain without the replica's knowing; ${pending} are ` +
          "to be anchored yet.",
      );
      if (isBehind) printLine(terminal, OTHER_JOURNAL);
    });
}

async function restore(config: Config, address: TargetAddress): Promise<Restored & { readonly isBehind: boolean }> {
  const { dataDirectory, chain } = config;
  await using opened = new AsyncDisposableStack();
  const lock = await holdDataFolder(dataDirectory);
  opened.defer(() => lock.release());
  const deployment = await deploymentAt(chain, address);
  const link = await openContracts(chain, { share: true, onEvent: () => undefined });
  opened.defer(() => link.close());
  const [replicated, here] = [deploymentName(deployment), deploymentName(link.deployment)];
  if (here !== replicated) throw new CommandFailure(`the replica belongs to ${replicated}; here is ${here}`);
  const database = await openJournalToAppend(config);
  opened.defer(() => database.destroy());
  const target = await openTarget(address, deploymentName(deployment));
  opened.defer(() => target.close());

  const bar = new SingleBar(
    { format: "{bar} {percentage}% | segment {value} of {total} | {entries} entries", stream: process.stderr },
    Presets.shades_classic,
  );
  let started = false;
  try {
    const { ProofAnchor } = link.deployment.contracts;
    await journalName(database, deploymentName(deployment));
    const restored = await rebuildJournal(database, ProofAnchor, (rebuild) =>
      restoreJournal({
        target,
        rebuild,
        chain: new ProofAnchorClient(link.rpc, ProofAnchor, {
          firstBlock: deployment.firstBlock,
          chain: new VerifiedChain(link.rpc, { validatorNames: chain.validatorNames }),
        }),
        onSegment(done, total, entries) {
          if (!started) bar.start(total, 0, { entries: 0 });
          started = true;
          bar.update(done, { entries });
        },
      }),
    );
    return { ...restored, isBehind: !(await continuesSeen(dataDirectory, database)) };
  } catch (error) {
    if (error instanceof SegmentFault) throw new CommandFailure(`${error.message}. Nothing was restored`);
    throw error;
  } finally {
    if (started) bar.stop();
  }
}

/** Reads the contract addresses from the replica; writes them into an empty data folder. */
async function deploymentAt(
  { dataDirectory, node, relayer, administratorKey }: ChainConfig,
  address: TargetAddress,
): Promise<Deployment> {
  const name = await journalAt(address);
  if (name === undefined) throw new CommandFailure(`there is no replica at ${address.name}`);
  const deployment = parseDeploymentName(name);
  if (deployment === undefined)
    throw new CommandFailure(`${address.name} names a journal that cannot be understood: ${name}`);
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
  return deployment;
}

function parseAddress(text: string): TargetAddress {
  const { targets, faults } = parseTargets(text);
  const [target] = targets;
  if (faults.length > 0 || target === undefined || targets.length > 1) {
    throw new CommandFailure(faults.join("; ") || "--from takes one replica");
  }
  return target;
}
