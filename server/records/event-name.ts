/** The event name of a topic in which no character may stand in a name. */
const NAMELESS = "event";

/** The name of an event: its topic without everything but letters and digits of any script, `_` and `-`. */
export function eventName(topic: string): string {
  const name = topic.replace(/[^\p{L}\p{Nd}_-]/gu, "");
  return name === "" ? NAMELESS : name;
}
