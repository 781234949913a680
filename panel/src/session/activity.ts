import { storedText } from "../stored-text.ts";

/** The use of the panel by a person. */
export interface Activity {
  /** The last use in Unix milliseconds. */
  lastUse(): number;
  /** Calls a listener at the first use after a while. */
  onUse(listener: () => void): void;
}

const USES = ["keydown", "pointerdown", "pointermove", "wheel"] as const;
/** Uses in quick succession count as one. */
const RESOLUTION_MILLISECONDS = 5_000;

/** Keyboard and pointer in all tabs of the browser; opening a page is a use as well. */
export function activityOfTabs(): Activity {
  const stored = storedText("used");
  const listeners: (() => void)[] = [];
  let own = 0;
  const lastUse = (): number => Math.max(own, Number(stored.read()) || 0);
  const note = (): void => {
    if (Math.abs(Date.now() - lastUse()) < RESOLUTION_MILLISECONDS) return;
    own = Date.now();
    stored.write(String(own));
    for (const listener of listeners) listener();
  };
  note();
  for (const use of USES) addEventListener(use, note, { capture: true, passive: true });
  return { lastUse, onUse: (listener) => void listeners.push(listener) };
}
