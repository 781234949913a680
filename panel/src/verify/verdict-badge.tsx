import { Badge } from "../components/badge.tsx";
import { texts } from "../texts/texts.ts";
import type { Verdict } from "./verdict.ts";

const LOOKS = {
  verified: "good",
  not_verified: "bad",
  undetermined: "warning",
  recorded: "plain",
  not_recorded: "plain",
  unreadable: "warning",
} as const satisfies Record<Verdict["kind"], string>;

/** The verdict in one word. */
export function VerdictBadge({ kind }: { kind: Verdict["kind"] }) {
  return <Badge kind={LOOKS[kind]}>{texts.value.verify.kinds[kind]}</Badge>;
}
