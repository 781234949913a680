import { tabsHaveLocks } from "../session/token-lock.ts";
import { storedText } from "../stored-text.ts";

/** The recording that is not finished, as JSON. */
export const storedRecordingText = storedText("recording", tabsHaveLocks ? "browser" : "tab");
