import { ExplorerClient } from "../../../client/explorer.ts";

/** Client of the explorer's own server. */
export const explorerClient = new ExplorerClient(location.origin, { credentials: "omit" });
