/** A connection for whole messages in both directions, open or about to be. */
export interface MessageSocket {
  /** Sends a message; only after {@link SocketEvents.onOpen}. */
  send(text: string): void;
  /** Closes the connection at once; {@link SocketEvents.onClose} follows with this reason. */
  destroy(reason: Error): void;
}

/** The events of a {@link MessageSocket}; none is emitted before the opener has returned. */
export interface SocketEvents {
  onOpen(): void;
  onMessage(text: string): void;
  /** The connection is closed, or could not be opened. Emitted once, as the last event. */
  onClose(reason: Error): void;
}

/** Starts to connect. */
export type OpenSocket = (events: SocketEvents) => MessageSocket;
