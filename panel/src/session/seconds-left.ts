import { now } from "./clock.ts";
import { session } from "./session.ts";

/** Whole seconds that the session has left; read in a component, it is drawn anew every second. */
export function secondsLeft(): number {
  return Math.max(0, Math.floor(((session.current.value?.endsAt ?? 0) - now.value) / 1000));
}
