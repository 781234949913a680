import type { RowVerdict } from "../../../client/index.ts";
import { texts } from "../texts/texts.ts";
import { Badge } from "./badge.tsx";

/** Warnings about a row that was overwritten, or whose call is not the original one. */
export function MarkBadges({
  mark,
}: {
  mark: (Pick<RowVerdict, "overwritten_by"> & Partial<Pick<RowVerdict, "verdict">>) | null | undefined;
}) {
  const words = texts.value.common.marks;
  if (mark === null || mark === undefined) return null;
  return (
    <>
      {mark.verdict === "replay" ? <Badge kind="bad">{words.replay}</Badge> : null}
      {mark.overwritten_by === null ? null : <Badge kind="bad">{words.overwritten}</Badge>}
    </>
  );
}
