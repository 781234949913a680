import { PassThrough } from "node:stream";
import type { Argument, Command } from "commander";
import { COMMANDS, loadCommand } from "../commands/table.ts";

/** Creates the table of docs/commands.md from the commands themselves. */
export async function commandsTable(): Promise<string> {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const terminal = { variables: {}, stdin, stdout, stderr: stdout, exit: () => undefined };
  const rows = await Promise.all(
    COMMANDS.map(async (entry) => {
      const command = await loadCommand(entry, terminal);
      const link = entry.page === undefined ? "" : ` See [${entry.page.replace(/#.*/, "")}](${entry.page}).`;
      const own = rowOf(usage(command), entry.description + link);
      return [own, ...command.commands.map((each) => rowOf(`${command.name()} ${usage(each)}`, sentence(each)))];
    }),
  );
  return ["| Command | What it does |", "|---|---|", ...rows.flat()].join("\n");
}

function usage(command: Command): string {
  return [command.name(), ...command.registeredArguments.map(argumentText)].join(" ");
}

function argumentText(argument: Argument): string {
  const text = `${argument.name().toUpperCase()}${argument.variadic ? "..." : ""}`;
  return argument.required ? text : `[${text}]`;
}

function sentence(command: Command): string {
  const text = command.description();
  return `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, "")}.`;
}

function rowOf(command: string, text: string): string {
  return `| \`${command}\` | ${text.replaceAll("|", "\\|")} |`;
}
