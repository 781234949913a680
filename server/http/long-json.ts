import { nextTurn } from "../kit/next-turn.ts";
import type { Response } from "express";

/** Items of a list that are written at a time. */
const AT_ONCE = 20;

/**
 * Sends an object with long lists as JSON. Other requests are served while its text is written.
 * @param body Its members; an iterable is a list, of which the items are made as they are written
 */
export async function sendLongJson(response: Response, body: object): Promise<void> {
  const members: string[] = [];
  for (const [name, value] of Object.entries(body)) {
    if (value === undefined) continue;
    const text = isIterable(value) ? `[${await listOf(value)}]` : JSON.stringify(value);
    members.push(`${JSON.stringify(name)}:${text}`);
  }
  response.type("json").send(`{${members.join(",")}}`);
}

function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.iterator in value;
}

async function listOf(items: Iterable<unknown>): Promise<string> {
  const texts: string[] = [];
  for (const item of items) {
    texts.push(JSON.stringify(item));
    if (texts.length % AT_ONCE === 0) await nextTurn();
  }
  return texts.join(",");
}
