import { type ServerProcess, startProcess } from "./process.ts";
import { startRawNode } from "./raw-anvil.ts";
import { type RemoteChain, startRemoteChain } from "./remote-chain.ts";
import { rpcCall } from "./rpc.ts";
import { FAST_RECHECK } from "./server.ts";
import type { ParsedJson } from "./parsed-json.ts";

/** A server process with a remote chain behind a proxy. */
export interface Scene {
  readonly chain: RemoteChain;
  readonly server: ServerProcess;
  /** Queries the node itself. */
  node(method: string, ...params: unknown[]): Promise<ParsedJson>;
}

export interface SceneOptions {
  /** Runs before the start of the server. */
  readonly prepare?: (chain: RemoteChain) => void;
  readonly variables?: Record<string, string>;
}

/** Runs a test in a scene on Anvil, and cleans up. */
export async function onScene(
  play: (scene: Scene) => Promise<void>,
  { prepare, variables = {} }: SceneOptions = {},
): Promise<void> {
  const chain = await startRemoteChain(startRawNode);
  try {
    prepare?.(chain);
    const server = await startProcess(
      chain.directory,
      {
        ...chain.variables,
        PROOF_WAIT: "1",
        BATCH_MAX_AGE: "1",
        ...variables,
      },
      FAST_RECHECK,
    );
    try {
      await play({ chain, server, node: (method, ...params) => rpcCall(chain.url, method, ...params) });
    } finally {
      await server.end("SIGKILL");
    }
  } finally {
    await chain.close();
  }
}
