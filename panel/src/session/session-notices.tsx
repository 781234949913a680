import { Notice } from "../components/notice.tsx";
import { texts } from "../texts/texts.ts";
import { IDLE_MINUTES } from "./panel-session.ts";
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
  if (session.isPaused.value)
    return (
      <Notice kind="warning" title={words.paused}>
        {words.pausedHelp(IDLE_MINUTES)}
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
