import type { Request, Response } from "express";
import { KeyedQueue } from "../kit/keyed-queue.ts";
import { sourceKey } from "./access/source-key.ts";

/** Large responses that are made or sent at a time: one takes up to ten megabytes until the client has read it. */
const AT_ONCE = 16;
const PER_SOURCE = 2;

type Handler<Parameters> = (request: Request<Parameters>, response: Response) => Promise<void>;

// Of the process, as memory is.
const turns = new KeyedQueue<string>(AT_ONCE, PER_SOURCE);

/**
 * Makes a large response when it is the turn of the source. The turn ends when the client has the response, or has
 * gone; `cutOffSlowClients` bounds the time.
 */
export function largeResponse<Parameters>(send: Handler<Parameters>): Handler<Parameters> {
  return (request, response) =>
    turns.run(sourceKey(request.ip), async () => {
      if (response.destroyed) return;
      const closed = new Promise((resolve) => response.once("close", resolve));
      await send(request, response);
      await closed;
    });
}
