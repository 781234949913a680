import { ClientError } from "../../../client/errors.ts";
import { ExplorerClient } from "../../../client/explorer.ts";
import { accessHeaders } from "../access/proof-access.ts";

/** Creates a client of the explorer's own server, with the entered credentials. */
export function explorerClient(): ExplorerClient {
  return new ExplorerClient(location.origin, { credentials: "omit", headers: accessHeaders() });
}

/** What is not written like something of the chain is not on it: `undefined`. */
export async function ifReadable<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof ClientError && error.code === "malformed") return undefined;
    throw error;
  }
}
