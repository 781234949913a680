import type { ComponentChildren } from "preact";
import { Empty } from "../components/empty.tsx";
import { texts } from "../texts/texts.ts";
import { addressOf } from "./route.ts";
import { useTitle } from "../components/title.ts";

/** Shows that the chain does not have the requested item, and possible reasons. */
export function NotFound({ title, children }: { title: string; children: ComponentChildren }) {
  useTitle(title);
  return (
    <Empty icon="search" title={title}>
      <p class="explorer-help">{children}</p>
      <p>
        <a href={addressOf()}>{texts.value.explorer.toStart}</a>
      </p>
    </Empty>
  );
}
