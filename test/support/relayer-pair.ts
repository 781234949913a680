import { randomBytes } from "node:crypto";
import { cp, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { hexlify, Transaction, Wallet } from "ethers";
import { deploy, deploymentFile } from "../../server/chain/contracts/deployment.ts";
import { CONTRACT_NAMES } from "../../server/chain/transaction.ts";
import { RelayerRoles } from "../../scripts/relayer/relayer-roles.ts";
import { connectRpc } from "../../server/chain/rpc/connect.ts";
import type { EnvironmentVariables } from "../../server/config/environment.ts";
import { removeDirectory, temporaryDirectory } from "./directory.ts";
import type { EngineDatabase } from "./engine-database.ts";
import { type FaultyProxy, startFaultyProxy } from "./faulty-proxy.ts";
import { type ProcessOverrides, type ServerProcess, startProcess } from "./process.ts";
import { startRawAnvil } from "./raw-anvil.ts";
import { freePort } from "./free-port.ts";
import { rpcCall } from "./rpc.ts";
import { FAST_RECHECK } from "./server.ts";
import { FEES } from "./fees.ts";

/** Unconfirmed anchors in the journal, by their progress. */
export interface Stages {
  /** Anchors that still accept hashes. */
  readonly open: number;
  /** Intents without a signature. */
  readonly queued: number;
  /** Nonces of signed transactions without an outcome. */
  readonly signed: readonly number[];
}

/** One of the two relayers: a key, a folder, and a separate proxy to the node. */
export interface RelayerSeat {
  readonly address: string;
  /** Its data folder. */
  readonly directory: string;
  readonly proxy: FaultyProxy;
  start(variables?: EnvironmentVariables, overrides?: ProcessOverrides): Promise<ServerProcess>;
  /** Returns the nonces of this key that were sent through a proxy, in the order of their first attempt. */
  noncesOver(proxy: FaultyProxy): number[];
}

/** Environment of two relayers that share one database: a node that makes blocks on request. */
export interface RelayerPair {
  readonly url: string;
  readonly administratorKey: string;
  readonly seats: readonly [RelayerSeat, RelayerSeat];
  /** Starts to make a block per second. */
  mine(): Promise<void>;
  /** Revokes a key's role on every contract; requires {@link RelayerPair.mine}. */
  revoke(address: string): Promise<void>;
  stages(): Promise<Stages>;
  /** Whether a write transaction is open on the database. */
  isLocked(): Promise<boolean>;
  close(): Promise<void>;
}

/** Replacements for a server that leads soon after another one is gone. */
export const FAST_CHANGE = { ...FAST_RECHECK, leaderSilenceMilliseconds: 2_000 } satisfies ProcessOverrides;

/** Returns the settings of each of two relayers that forward to each other. */
export function relayersAt(ports: readonly [number, number]): (index: 0 | 1) => EnvironmentVariables {
  const RELAYERS = `first=http://127.0.0.1:${ports[0]},second=http://127.0.0.1:${ports[1]}`;
  return (index) => ({ PORT: String(ports[index]), RELAYERS, RELAYER_ID: index === 0 ? "first" : "second" });
}

/** @param database An empty database; removed with the pair */
export async function startRelayerPair(database: EngineDatabase): Promise<RelayerPair> {
  const opened = new AsyncDisposableStack();
  const directory = await temporaryDirectory();
  opened.defer(() => removeDirectory(directory));
  const anvil = await startRawAnvil();
  opened.defer(() => anvil.stop());
  opened.defer(() => database.remove());
  const wallets = [new Wallet(hexlify(randomBytes(32))), new Wallet(hexlify(randomBytes(32)))] as const;
  const folders = [join(directory, "first"), join(directory, "second")] as const;
  const administrator = new Wallet(hexlify(randomBytes(32)));
  const rpc = connectRpc(anvil.http, anvil.chainId);
  opened.defer(() => rpc.close());
  const deployed = await deploy({
    rpc,
    administrator,
    relayer: wallets[0].address,
    lifetime: 3600,
    minimumToExtend: 15,
    fees: FEES,
    file: deploymentFile(directory, anvil.chainId),
    onDeployed: () => undefined,
  });
  const roles = new RelayerRoles(rpc, deployed);
  const [, { address: other }] = wallets;
  for (const contract of CONTRACT_NAMES) await roles.change("grant", contract, other, administrator, FEES);
  await rpc.call("evm_setAutomine", [false]);

  const ports = [await freePort(), await freePort()] as const;
  const relayers = database.url.startsWith("postgres") ? relayersAt(ports) : () => ({});
  const seat = async (index: 0 | 1): Promise<RelayerSeat> => {
    const [folder, { address, privateKey }] = [folders[index], wallets[index]];
    await mkdir(folder, { recursive: true });
    await cp(join(directory, "deployments"), join(folder, "deployments"), { recursive: true });
    const proxy = await startFaultyProxy(anvil.http);
    opened.defer(() => proxy.close());
    return {
      address,
      directory: folder,
      proxy,
      start: async (variables, overrides = FAST_CHANGE) => {
        const server = await startProcess(
          folder,
          {
            RPC_URL: proxy.url,
            RELAYER_KEY: privateKey,
            DATABASE_URL: database.url,
            PROOF_WAIT: "1",
            BATCH_MAX_AGE: "600",
            ...relayers(index),
            ...variables,
          },
          overrides,
        );
        opened.defer(async () => void (await server.end("SIGKILL")));
        return server;
      },
      noncesOver: ({ attempted }) => [
        ...new Set(
          attempted.map((raw) => Transaction.from(raw)).flatMap(({ from, nonce }) => (from === address ? [nonce] : [])),
        ),
      ],
    };
  };

  return {
    url: anvil.http,
    administratorKey: administrator.privateKey,
    seats: [await seat(0), await seat(1)],
    mine: async () => void (await rpcCall(anvil.http, "evm_setIntervalMining", 1)),
    async revoke(address) {
      for (const contract of CONTRACT_NAMES) await roles.change("revoke", contract, address, administrator, FEES);
    },
    async stages() {
      const [open, queued, signed] = await Promise.all([
        database.query("select id from anchors where transaction_id is null"),
        database.query("select id from transactions where state = 'queued'"),
        database.query("select nonce from transactions where state = 'sent' order by nonce"),
      ]);
      return { open: open.length, queued: queued.length, signed: signed.map(({ nonce }) => Number(nonce)) };
    },
    isLocked: () => database.isLocked(),
    close: () => opened.disposeAsync(),
  };
}
