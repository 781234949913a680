import { ExplorerClient } from "../../../client/explorer.ts";
import { accessHeaders } from "../access/proof-access.ts";

/** Creates a client of the explorer's own server, with the entered credentials. */
export function explorerClient(): ExplorerClient {
  return new ExplorerClient(location.origin, { credentials: "omit", headers: accessHeaders() });
}
