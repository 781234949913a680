import { Notice } from "../components/notice.tsx";
import { texts } from "../texts/texts.ts";
import { secondsLeft } from "./seconds-left.ts";
import { session } from "./session.ts";

/** What threatens the session. The seconds are not read out anew whenever they change. */
export function SessionNotices() {
  const { session: words } = texts.value;
  if (session.isCutOff.value) return <Notice kind="warning" title={words.cutOff}>{words.cutOffHelp(secondsLeft())}</Notice>;
  if (session.current.value?.renewAt === null) return <Notice kind="warning" title={words.ending(secondsLeft())}>{words.endingHelp}</Notice>;
  return null;
}
