import { Command } from "commander";
import type { Terminal } from "./run-command.ts";

/** Creates the command `start`. */
export function startCommand({ variables }: Terminal): Command {
  return new Command("start")
    .addHelpText("after", "\nSIGINT and SIGTERM stop it after running requests. Exit code: 0 stopped, 1 failure.")
    .action(async () => {
      const { runServer } = await import("../../server/main.ts");
      await runServer(variables);
    });
}
