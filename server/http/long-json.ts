import { setImmediate } from "node:timers/promises";
import type { Response } from "express";

/** Items of a list that are written at a time. */
const AT_ONCE = 100;

/** Sends an object with long lists as JSON. Other requests are served while its text is written. */
export async function sendLongJson(response: Response, body: object): Promise<void> {
  const members: string[] = [];
  for (const [name, value] of Object.entries(body)) {
    if (value === undefined) continue;
    const text = Array.isArray(value) ? `[${await listOf(value)}]` : JSON.stringify(value);
    members.push(`${JSON.stringify(name)}:${text}`);
  }
  response.type("json").send(`{${members.join(",")}}`);
}

async function listOf(items: readonly unknown[]): Promise<string> {
  const texts: string[] = [];
  for (let from = 0; from < items.length; from += AT_ONCE) {
    if (from > 0) await setImmediate();
    texts.push(JSON.stringify(items.slice(from, from + AT_ONCE)).slice(1, -1));
  }
  return texts.join(",");
}
