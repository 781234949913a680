import { duration } from "../format/duration.ts";
import { Moment } from "../format/moment.tsx";
import type { OpenSession } from "../session/session-store.ts";
import { texts } from "../texts/texts.ts";
import { visibleText } from "../visible-text.ts";

/** Figures of the server and the log of the account, as of the login. */
export function AccountState({ statistics, log }: OpenSession["atLogin"]) {
  const { home: words } = texts.value;
  const names = new Map(Object.entries(words.stats));
  return (
    <>
      <div class="stack">
        <h2>{words.statistics}</h2>
        <dl class="stats">
          {Object.entries(statistics).map(([name, value]) => (
            <div key={name}>
              <dt>{names.get(name) ?? name}</dt>
              <dd class={`number stat-${name}`}>{name === "uptime" ? duration(value) : value}</dd>
            </div>
          ))}
        </dl>
      </div>
      <div class="stack">
        <h2>{words.log}</h2>
        <ol class="log card">
          {log.map((line, index) => (
            <li key={index} class={line.level}>
              <Moment at={Date.parse(line.time) / 1000} /> <span>{words.logLine(visibleText(line.message))}</span>
            </li>
          ))}
        </ol>
      </div>
    </>
  );
}
