/** Why the embedded chain refused to start or to go on. */
export type EmbeddedChainErrorCode =
  | "directory-unusable"
  | "chain-in-use"
  | "port-in-use"
  | "chain-id-differs"
  | "log-damaged"
  | "log-differs"
  | "anvil-missing"
  | "anvil-failed"
  | "stopped";

/** An error of the embedded chain; `code` says which, the message is for people. */
export class EmbeddedChainError extends Error {
  override readonly name = "EmbeddedChainError";
  readonly code: EmbeddedChainErrorCode;

  constructor(code: EmbeddedChainErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Whether trying again later can help: a dead Anvil or a full disk may pass, a damaged log does not. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof EmbeddedChainError)) return true;
  return error.code === "anvil-failed" || error.code === "directory-unusable";
}

/** The text of anything thrown. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
