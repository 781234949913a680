import type { DecodedLog } from "../../../../client/index.ts";
import { CodeBlock } from "../../components/code-block.tsx";
import { texts } from "../../texts/texts.ts";
import { Hash } from "../hash.tsx";
import { addressOf } from "../route.ts";
import { Arguments } from "./arguments.tsx";

/** Events of the contracts. */
export function Logs({ logs }: { logs: readonly DecodedLog[] }) {
  const { transaction: words, contracts } = texts.value.explorer;
  return (
    <ol class="stack">
      {logs.map(({ index, address, event, topics, data }) => (
        <li key={index} class="stack">
          <h3>
            {event === undefined ? words.foreignLog : `${contracts[event.contract]}: ${event.name}`}{" "}
            <Hash value={address} href={addressOf("address", address)} />
          </h3>
          {event === undefined ? (
            <CodeBlock text={[...topics, data].join("\n")} label={words.rawLog} />
          ) : (
            <Arguments of={event.arguments} caption={event.name} />
          )}
        </li>
      ))}
    </ol>
  );
}
