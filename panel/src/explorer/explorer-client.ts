import { ExplorerClient } from "../../../client/explorer.ts";

/** What the explorer asks: its own server, and nobody else. */
export const explorerClient = new ExplorerClient(location.origin, { credentials: "omit" });
