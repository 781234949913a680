import { RecordClient } from "../../../client/records.ts";
import { activityOfTabs } from "./activity.ts";
import { startClock } from "./clock.ts";
import { PanelSession } from "./panel-session.ts";
import { storeOfPage, storeOfTabs } from "./session-store.ts";
import { lockOfPage, lockOfTabs, tabsHaveLocks } from "./token-lock.ts";

export const records = new RecordClient(location.origin, { credentials: "same-origin" });

/** The session. Without locks between tabs, each tab has its own. */
export const session = tabsHaveLocks
  ? new PanelSession(records, storeOfTabs(), lockOfTabs(), activityOfTabs())
  : new PanelSession(records, storeOfPage(), lockOfPage(), activityOfTabs());

/** Starts the renewal of the session. */
export function startSession(): void {
  session.tick();
  startClock(() => session.tick());
}
