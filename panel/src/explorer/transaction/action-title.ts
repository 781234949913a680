import type { ExploredTransaction } from "../../../../client/index.ts";
import { texts } from "../../texts/texts.ts";

/** Summarises a transaction in one line. */
export function actionTitle({ action, call, status }: ExploredTransaction): string {
  const { actions, states } = texts.value.explorer;
  // What it would have done did not happen, or not yet.
  if (status !== "succeeded") return `${actions.kinds[action.kind]} (${states[status]})`;
  switch (action.kind) {
    case "anchor":
      return action.size === 0 ? actions.anchored : actions.anchoredBatch(action.size);
    case "record":
      return action.row === undefined
        ? actions.storedRow(action.row_id, action.table)
        : actions.storedRecord(action.row.code);
    case "session":
      return actions.sessionSteps[action.step];
    case "administration":
      return actions.administered(call?.function ?? "");
    default:
      return actions.kinds[action.kind];
  }
}
