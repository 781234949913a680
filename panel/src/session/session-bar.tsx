import { Button } from "../components/button.tsx";
import { Icon } from "../components/icon.tsx";
import { shortened } from "../format/shortened.ts";
import { texts } from "../texts/texts.ts";
import { secondsLeft } from "./seconds-left.ts";
import { session } from "./session.ts";

/** The account of the session, its remaining time, and the logout. */
export function SessionBar() {
  const open = session.current.value;
  if (open === undefined) return null;
  const { session: words } = texts.value;
  const left = secondsLeft();
  return (
    <>
      <span class="session-left number" title={words.left(left)}>
        <Icon name="clock" size={16} />
        <span>{texts.value.common.seconds(left)}</span>
      </span>
      <code class="session-account" title={open.account}>
        {shortened(open.account)}
      </code>
      <Button
        kind="quiet"
        icon="leave"
        label={words.logOut}
        onClick={() => void session.logOut().catch(() => undefined)}
      />
    </>
  );
}
