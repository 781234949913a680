import { assert } from "chai";
import { type Engine, emptyDatabase } from "./database.ts";
import type { EngineDatabase } from "./engine-database.ts";
import { eventually } from "./eventually.ts";
import { assertExactlyOnce, type ProofRequest } from "./exactly-once.ts";
import { type HttpResponse, post } from "./http.ts";
import { type ServerProcess, startProcess } from "./process.ts";
import { startRawNode } from "./raw-anvil.ts";
import { type RemoteChain, startRemoteChain } from "./remote-chain.ts";
import { FAST_RECHECK } from "./server.ts";
import { type Stage, stageOf } from "./stage.ts";

/** A relayer that is killed repeatedly, with a separate chain. */
export interface Victim {
  readonly chain: RemoteChain;
  readonly database: EngineDatabase;
  readonly server: ServerProcess;
  /** Documents that must be on chain by now. */
  readonly accepted: ProofRequest[];
  /** Posts documents, with or without a response. */
  post(path: string, body: unknown, url?: string): Promise<HttpResponse | "lost">;
  /** Waits until documents have reached a stage, according to the database. */
  until(stage: Stage, documents: readonly ProofRequest[]): Promise<void>;
  /** Kills it before it responds. */
  kill(response: Promise<HttpResponse | "lost">): Promise<void>;
  start(): Promise<void>;
  /** Restarts it without faults. */
  restart(): Promise<void>;
  /** Asserts that these documents, and all before them, are on chain once. */
  confirmed(documents: readonly ProofRequest[]): Promise<void>;
  close(): Promise<void>;
}

export async function startVictim(engine: Engine): Promise<Victim> {
  const chain = await startRemoteChain(startRawNode);
  const database = await emptyDatabase(engine);
  // An open batch stays open while another is in flight, and no client gets a response before the kill.
  const variables = { ...chain.variables, DATABASE_URL: database.url, BATCH_MAX_AGE: "600", PROOF_WAIT: "600" };
  const start = (): Promise<ServerProcess> => startProcess(chain.directory, variables, FAST_RECHECK);
  let server = await start();
  const victim: Victim = {
    chain,
    database,
    get server() {
      return server;
    },
    accepted: [],
    post: (path, body, url = server.url) =>
      post(`${url}${path}`, body).catch((error: unknown) => {
        if (error instanceof TypeError) return "lost";
        throw error;
      }),
    until: (stage, documents) =>
      eventually(async () => {
        for (const document of documents) assert.equal(await stageOf(database, document), stage);
      }),
    async kill(response) {
      assert.equal((await server.end("SIGKILL")).signal, "SIGKILL");
      assert.equal(await response, "lost", "no client got a response");
    },
    async start() {
      server = await start();
    },
    restart() {
      chain.proxy.mode = "pass";
      return victim.start();
    },
    confirmed(documents) {
      victim.accepted.push(...documents);
      return assertExactlyOnce(server, chain.url, victim);
    },
    async close() {
      await server.end("SIGKILL");
      await chain.close();
      await database.remove();
    },
  };
  return victim;
}
