import { effect } from "@preact/signals";
import { forgetAccess } from "./access/proof-access.ts";
import { keepScroll } from "./kept-scroll.ts";
import { Panel } from "./panel.tsx";
import { storedRecordingText } from "./recording/stored.ts";
import { followLinks, replaceBy } from "./route.ts";
import { sectionAt } from "./sections.ts";
import { onForget } from "./session/kept.ts";
import { session, startSession } from "./session/session.ts";
import { start } from "./start.ts";

startSession();
onForget(forgetAccess);
// What was searched for is of the account.
onForget(() => void (location.search !== "" && replaceBy(location.pathname)));
keepScroll();
followLinks((path) => sectionAt(path) !== undefined);
// A recording that was not finished goes on, whatever is shown.
effect(() => {
  const account = session.current.value?.account;
  if (account === undefined || storedRecordingText.read() === undefined) return;
  // Without its code, the next change of the session tries again.
  import("./recording/recorder.ts").then(
    ({ recorder }) => recorder.resume(account),
    () => undefined,
  );
});
await start(<Panel />);
