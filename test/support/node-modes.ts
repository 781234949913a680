import { hang, type Intercept } from "./faulty-proxy.ts";
import { rpcCall } from "./rpc.ts";

/** How a node fails to answer. */
export const NODE_MODES = ["null", "behind", "limited", "error text", "silent"] as const;
export type NodeMode = (typeof NODE_MODES)[number];

const BLOCKS_BEHIND = 2;
/** Methods that a node answers in every mode: the command has to get past its start. */
const ANSWERED = ["eth_chainId", "net_version", "web3_clientVersion"];

/**
 * Returns the interception of a mode. `null`: the node has nothing; `behind`: it lacks the newest blocks and returns
 * what the others have, as one of several behind an address; `limited`: it limits the rate; `error text`: it cannot run
 * the call; `silent`: it accepts calls and never responds.
 * @param url The node itself
 */
export async function nodeInMode(mode: NodeMode, url: string): Promise<Intercept> {
  const head = Number(await rpcCall(url, "eth_blockNumber")) - BLOCKS_BEHIND;
  const quantity = `0x${head.toString(16)}`;
  const isLater = (number: unknown): boolean => /^0x[0-9a-f]{1,15}$/.test(String(number)) && Number(number) > head;
  const behind: Intercept = ({ method, params: [first] }) => {
    if (method === "eth_blockNumber") return { result: quantity };
    if (first === "latest" && method === "eth_getBlockByNumber")
      return rpcCall(url, method, quantity, false).then((result: unknown) => ({ result }));
    if (isLater(first)) return { result: null };
    const blocksOf = (each: object): unknown => ("blockNumber" in each ? each.blockNumber : undefined);
    return {
      change: (result) => {
        if (Array.isArray(result))
          return result.filter((each) => typeof each !== "object" || each === null || !isLater(blocksOf(each)));
        return typeof result === "object" && result !== null && isLater(blocksOf(result)) ? null : result;
      },
    };
  };
  const modes: Readonly<Record<NodeMode, Intercept>> = {
    null: () => ({ result: null }),
    behind,
    limited: () => ({ error: { code: -32_090, message: "Too many requests, reason: call rate limit exhausted" } }),
    "error text": () => ({ error: { code: -32_000, message: "header not found" } }),
    silent: hang,
  };
  const chosen = modes[mode];
  return (call) => (mode !== "silent" && ANSWERED.includes(call.method) ? "pass" : chosen(call));
}
