import { WebSocket } from "ws";
import { every, type Interval } from "../../kit/interval.ts";
import type { OpenSocket } from "./json-rpc-socket.ts";
import { explainTls, NODE, type PeerTlsOptions, type TlsPeer } from "./peer-tls.ts";
import { MAX_CONTENT_BYTES } from "./response-limit.ts";
import { TIMEOUT_MILLISECONDS } from "./rpc.ts";

/** Interval of pings. A connection without a pong or a message between two of them is dead. */
const PULSE_MILLISECONDS = TIMEOUT_MILLISECONDS / 2;

/** Opens WebSockets to an address. A dead connection is noticed within two pings. */
export function webSocketOpener(
  url: URL,
  headers: Readonly<Record<string, string>>,
  { tls = {}, peer = NODE }: { readonly tls?: PeerTlsOptions; readonly peer?: TlsPeer } = {},
  pulseMilliseconds = PULSE_MILLISECONDS,
): OpenSocket {
  return ({ onOpen, onMessage, onClose }) => {
    const socket = new WebSocket(url, {
      ...tls,
      headers,
      handshakeTimeout: TIMEOUT_MILLISECONDS,
      maxPayload: MAX_CONTENT_BYTES,
      // Most nodes are near, and hashes do not compress.
      perMessageDeflate: false,
    });
    let reason: Error | undefined;
    let alive = true;
    let pulse: Interval | undefined;
    const destroy = (why: Error): void => {
      reason ??= why;
      socket.terminate();
    };
    socket.on("open", () => {
      pulse = every(pulseMilliseconds, () => {
        if (!alive) return destroy(new Error("the node does not respond to pings"));
        alive = false;
        socket.ping();
      });
      onOpen();
    });
    socket.on("pong", () => (alive = true));
    socket.on("message", (data) => {
      alive = true;
      onMessage(Buffer.isBuffer(data) ? data.toString("utf8") : "");
    });
    socket.on("error", (error) => (reason ??= explainTls(error, peer)));
    socket.on("close", (code) => {
      void pulse?.stop();
      onClose(reason ?? new Error(`the node closed the connection (${code})`));
    });
    return { send: (text) => socket.send(text), destroy };
  };
}
