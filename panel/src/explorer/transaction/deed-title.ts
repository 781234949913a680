import type { ExploredTransaction } from "../../../../client/explorer-schemas.ts";
import { texts } from "../../texts/texts.ts";

/** What a transaction is about, in a line. */
export function deedTitle({ deed, call }: ExploredTransaction): string {
  const { deeds } = texts.value.explorer;
  switch (deed.kind) {
    case "anchor":
      return deed.size === 0 ? deeds.anchored : deeds.anchoredBatch(deed.size);
    case "record":
      return deed.row === undefined ? deeds.storedRow(deed.row_id, deed.table) : deeds.storedRecord(deed.row.code);
    case "session":
      return deeds.sessionSteps[deed.step];
    case "administration":
      return deeds.administered(call?.function ?? "");
    default:
      return deeds.kinds[deed.kind];
  }
}
