import { now } from "./clock.ts";
import { session } from "./session.ts";

/** Returns the whole seconds left of the session; a component that reads them is rendered every second. */
export function secondsLeft(): number {
  return Math.max(0, Math.floor(((session.current.value?.endsAt ?? 0) - now.value) / 1000));
}
