import { Command } from "commander";
import type { Terminal } from "./run-command.ts";

/** Creates the command `start`. */
export function startCommand({ variables }: Terminal): Command {
  return new Command("start")
    .option(
      "--fresh",
      "begin with a new DATA_DIR, and keep the old one beside it; for the embedded chain, or a node on this machine " +
        "that was started anew",
    )
    .addHelpText("after", "\nSIGINT and SIGTERM stop it after running requests. Exit code: 0 stopped, 1 failure.")
    .action(async ({ fresh = false }: { readonly fresh?: boolean }) => {
      const { runServer } = await import("../../server/main.ts");
      await runServer(variables, { fresh });
    });
}
