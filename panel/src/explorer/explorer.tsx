import { Shell } from "../shell.tsx";
import { texts } from "../texts/texts.ts";
import { addressOf, parts } from "./route.ts";

/** The explorer: what is public on the chain. */
export function Explorer() {
  return (
    <Shell home={addressOf()} part={texts.value.common.explorer}>
      <h1>{parts.value.join(" / ")}</h1>
    </Shell>
  );
}
