import { Command } from "commander";
import { VerifiedChain } from "../../server/chain/evidence/verified-chain.ts";
import { ProofAnchorClient } from "../../server/chain/contracts/proof-anchor-client.ts";
import { holdDataFolder } from "../../server/composition/data-folder.ts";
import { openJournalToAppend } from "../../server/composition/journal-database.ts";
import { type Config, parseConfig } from "../../server/config/config.ts";
import { showProgress } from "../proofs/file-run.ts";
import { CommandFailure, printLine, type Terminal } from "../commands/run-command.ts";
import { usingChain } from "../using-chain.ts";
import { continuesSeen, OTHER_JOURNAL } from "./seen-head.ts";
import { bundleFiles } from "./staged-bundles.ts";
import { importBundles, type Imported } from "./import.ts";

const REFUSED = 1;

/** Creates the command `journal import`. */
export function importCommand(terminal: Terminal): Command {
  return new Command("import")
    .description("Adds the proofs of portable bundles that the journal lacks, with the server stopped.")
    .argument("<path...>", "bundles, or folders with files *.bundle.json")
    .addHelpText(
      "after",
      `
Every bundle is verified completely, and its block against the chain: that of RPC_URL, or the embedded one in DATA_DIR.
A batch whose bundles are all there gets its proofs and its confirmation back. Proofs of a batch that lacks bundles are
added too, and the server's next start anchors them again: keep their bundles, which prove the earlier time.
Proofs that the journal has are left as they are. Bundles that are invalid, or contradict the journal or the chain, are
listed and not imported.
Exit code: 0 all imported or known, 1 some were refused or nothing could be imported, 2 wrong usage.`,
    )
    .action(async (paths: readonly string[]) => {
      const { known, restored, anchoredAgain, refused } = await run(
        terminal,
        parseConfig(terminal.variables, { relays: false }),
        paths,
      );
      printLine(
        terminal,
        `${restored} proofs restored with their confirmations, ${anchoredAgain} to be anchored again, ` +
          `${known} known, ${refused} refused.`,
      );
      if (refused > 0) terminal.exit(REFUSED);
    });
}

async function run(terminal: Terminal, config: Config, paths: readonly string[]): Promise<Imported> {
  const total = await countFiles(paths);
  await using opened = new AsyncDisposableStack();
  const lock = await holdDataFolder(config.dataDirectory);
  opened.defer(() => lock.release());
  const { promise, resolve } = Promise.withResolvers<Imported>();
  await usingChain(config.chain, async ({ rpc, deployment }) => {
    const database = await openJournalToAppend(config);
    const progress = showProgress("importing", total, "bundles");
    try {
      const imported = await importBundles(
        {
          database,
          contracts: deployment.contracts,
          chain: new ProofAnchorClient(rpc, deployment.contracts.ProofAnchor, {
            firstBlock: deployment.firstBlock,
            chain: new VerifiedChain(rpc, { validatorNames: config.chain.validatorNames }),
          }),
          query: (method, parameters) => rpc.call(method, parameters),
          onRefused: (file, reason) => void printLine(terminal, `${file}: refused: ${reason}`),
          onFile: () => progress.tick(),
        },
        bundleFiles(paths),
      );
      resolve(imported);
      if (!(await continuesSeen(config.dataDirectory, database))) printLine(terminal, OTHER_JOURNAL);
    } finally {
      progress.stop();
      await database.destroy();
    }
  });
  return promise;
}

async function countFiles(paths: readonly string[]): Promise<number> {
  let count = 0;
  try {
    for await (const file of bundleFiles(paths)) count += file === "" ? 0 : 1;
  } catch (error) {
    throw new CommandFailure(error instanceof Error ? error.message : String(error));
  }
  if (count === 0) throw new CommandFailure("there are no files *.bundle.json");
  return count;
}
