import { Notice } from "../components/notice.tsx";
import { texts } from "../texts/texts.ts";
import { session } from "./session.ts";

/** Warnings about the session. The remaining time is in the bar above: here it would be read out every second. */
export function SessionNotices() {
  const { session: words } = texts.value;
  if (session.isUnreachable.value)
    return (
      <Notice kind="warning" title={words.unreachable}>
        {words.unreachableHelp}
      </Notice>
    );
  if (session.current.value?.renewAt === null)
    return (
      <Notice kind="warning" title={words.ending}>
        {words.endingHelp}
      </Notice>
    );
  return null;
}
