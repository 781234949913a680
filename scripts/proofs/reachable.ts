import { ClientError, ProofClient } from "../../client/index.ts";
import { CommandFailure } from "./run-command.ts";

/** A server that was never there is told before thousands of files are read. */
export async function assertReachable(url: string): Promise<void> {
  try {
    await new ProofClient(url, { retryForMilliseconds: 0 }).status();
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    throw new CommandFailure(error.code === "unreachable" ? error.message : `${url} is not a server of proofs: ${error.message}`);
  }
}
