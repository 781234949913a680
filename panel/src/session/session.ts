import { RecordClient } from "../../../client/records.ts";
import { startClock } from "./clock.ts";
import { PanelSession } from "./panel-session.ts";
import { storeOfPage, storeOfTabs } from "./session-store.ts";
import { lockOfPage, lockOfTabs, tabsHaveLocks } from "./token-lock.ts";

/**
 * Cookies stay out of it: the token goes with every call, and other pages of this address may have sessions of their
 * own.
 */
export const records = new RecordClient(location.origin, { credentials: "omit" });

/** The session. Where tabs cannot keep each other from replacing its token, each has its own. */
export const session = tabsHaveLocks
  ? new PanelSession(records, storeOfTabs(), lockOfTabs())
  : new PanelSession(records, storeOfPage(), lockOfPage());

/** Lets the session be renewed in time. */
export function startSession(): void {
  session.tick();
  startClock(() => session.tick());
}
