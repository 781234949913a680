import { storedText } from "../stored-text.ts";

/** The recording that is not finished, as JSON; all pages of this browser share it. */
export const storedRecordingText = storedText("recording");
