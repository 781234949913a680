/** Event name of a topic without any allowed character. */
const DEFAULT_NAME = "event";

/** Derives an event's name: the letters and digits of any script, `_` and `-` of its topic. */
export function eventName(topic: string): string {
  const name = topic.replace(/[^\p{L}\p{Nd}_-]/gu, "");
  return name === "" ? DEFAULT_NAME : name;
}
