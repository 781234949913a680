// Runs a chain outside of a server, until it is killed.
import { startEmbeddedChain } from "../../server/chain/embedded/embedded-chain.ts";

const [directory = "", chainId = ""] = process.argv.slice(2);
const chain = await startEmbeddedChain({
  ...{ directory, port: 0, portSends: true },
  ...{ blockPeriodSeconds: 0, chainId: Number(chainId) },
});
console.log(chain.url);
