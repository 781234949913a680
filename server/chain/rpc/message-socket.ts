/** A connection that carries whole messages both ways, open or about to be. */
export interface MessageSocket {
  /** Only once it is open. */
  send(text: string): void;
  /** Ends it at once; {@link SocketEvents.onClose} follows, with this reason. */
  destroy(reason: Error): void;
}

/** What happens on a {@link MessageSocket}, never before the opener has returned. */
export interface SocketEvents {
  onOpen(): void;
  onMessage(text: string): void;
  /** It is gone, or was never opened. Comes once, and nothing after it. */
  onClose(reason: Error): void;
}

/** Starts to connect. */
export type OpenSocket = (events: SocketEvents) => MessageSocket;
