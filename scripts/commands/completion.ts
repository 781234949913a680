import { Command } from "commander";
import { printLine, type Terminal } from "./run-command.ts";
import { loadCommands } from "./table.ts";

/** Creates the command `completion`. */
export function completionCommand(terminal: Terminal): Command {
  return new Command("completion")
    .addHelpText(
      "after",
      `
In bash: alias sealbook="npx sealbook"; eval "$(sealbook completion)"
In zsh, before it: autoload -U bashcompinit; bashcompinit`,
    )
    .action(async () => printLine(terminal, completionScript(await loadCommands(terminal))));
}

/** Returns a bash function that completes the words of `sealbook`. Anything else is completed as a file. */
export function completionScript(commands: readonly Command[]): string {
  const cases = commands.flatMap((command) => [
    ...command.commands.map((each) => caseOf(`"${command.name()} ${each.name()}"`, optionsOf(each))),
    caseOf(`"${command.name()} "*`, [...command.commands.map((each) => each.name()), ...optionsOf(command)]),
  ]);
  return `_sealbook() {
  local words
  if ((COMP_CWORD == 1)); then
    words="${commands.map((command) => command.name()).join(" ")}"
  else
    case "\${COMP_WORDS[1]} \${COMP_WORDS[2]}" in
${cases.join("\n")}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _sealbook sealbook`;
}

function caseOf(pattern: string, words: readonly string[]): string {
  return `      ${pattern}) words="${words.join(" ")}" ;;`;
}

function optionsOf(command: Command): string[] {
  return ["--help", ...command.options.flatMap(({ long }) => long ?? [])];
}
