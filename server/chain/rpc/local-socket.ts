import { connect } from "node:net";
import { JsonSplitter } from "./json-splitter.ts";
import type { OpenSocket } from "./json-rpc-socket.ts";
import { MAX_CONTENT_BYTES } from "./response-limit.ts";

/**
 * Opens connections to the local socket of a node, which nodes call IPC.
 * @param largest Bytes of the longest response
 */
export function localSocketOpener(path: string, largest = MAX_CONTENT_BYTES): OpenSocket {
  return ({ onOpen, onMessage, onClose }) => {
    const socket = connect(path);
    const splitter = new JsonSplitter(largest);
    let reason: Error | undefined;
    const destroy = (why: Error): void => {
      reason ??= why;
      socket.destroy();
    };
    socket.on("connect", onOpen);
    socket.on("data", (chunk: Buffer) => {
      try {
        for (const message of splitter.push(chunk)) onMessage(message);
      } catch (error) {
        destroy(error instanceof Error ? error : new Error(String(error)));
      }
    });
    socket.on("error", (error) => (reason ??= error));
    socket.on("close", () => onClose(reason ?? new Error("the node closed the connection")));
    let corked = false;
    return {
      // Requests of one turn of the event loop go out in one write.
      send(text) {
        if (!corked) {
          corked = true;
          socket.cork();
          setImmediate(() => {
            corked = false;
            socket.uncork();
          });
        }
        socket.write(`${text}\n`);
      },
      destroy,
    };
  };
}
