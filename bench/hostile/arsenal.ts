import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { cp, mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { type TransactionLike, Wallet } from "ethers";
import * as z from "zod";
import type { EnvironmentVariables } from "../../server/config/environment.ts";
import { deploymentFile, readDeployment } from "../../server/chain/contracts/deployment.ts";
import { EMBEDDED_CHAIN_ID } from "../../server/composition/embedded-chain.ts";
import { showProgress } from "../run/progress.ts";
import { type Sealbook, startSealbook } from "../run/sealbook.ts";
import { EXPANDING_PAYLOADS, rowCallData, type Arsenal } from "./attacks.ts";

const SEALBOOK = join(import.meta.dirname, "../../scripts/sealbook.ts");
const DOCUMENT = "many";
const BATCH = 1_000;
const TOPIC = "a".repeat(256);
/** Above all that the server assigns during the measurement. */
const FIRST_ROW = 1_000_000_000;
const NO_ADDRESS = `0x${"0".repeat(39)}1`;

/** How much there is for attacks. */
interface Amounts {
  /** Proofs of one document. */
  readonly proofs: number;
  /** Documents with one proof each. */
  readonly documents: number;
  /** Records with long topics. */
  readonly records: number;
  /** Signed transactions for the port of the chain. */
  readonly transactions: number;
}

/** A data folder with much to read, and what a hostile client knows of it. */
export interface Prepared {
  readonly folder: string;
  readonly arsenal: Omit<z.output<typeof Arsenal>, "url" | "chainUrl">;
}

const Account = z.object({ login: z.string(), password: z.string() });
const Batch = z.object({ batch: z.object({ root: z.string(), tx_hash: z.string() }) });
const Verification = z.object({ verification_id: z.string() });
const Sent = z.object({ result: z.string() });

/** Fills the data folder of a server. */
export async function prepare(root: string, variables: EnvironmentVariables, amounts: Amounts): Promise<Prepared> {
  await using server = await startSealbook(root, { ...variables, CHAIN_PORT_SEND: "on" });
  const env = { PATH: process.env["PATH"], DATA_DIR: server.directory, ...variables };
  const created = await promisify(execFile)(process.execPath, [SEALBOOK, "account", "create", "--json"], { env });
  const account = Account.parse(JSON.parse(created.stdout));
  const { login: victim } = await server.demoAccount();
  const batch = await recordProofs(server, amounts);
  const documents = Array.from({ length: BATCH }, (_, index) => ({ document_id: `d${index}`, hash: "0".repeat(64) }));
  const { verification_id: verificationId } = Verification.parse(
    await post(`${server.url}/api/v1/recovery/verify`, { documents }),
  );
  const rowTransaction = await writeRow(server);
  await server.end();
  addRecords(join(server.directory, "sealbook.sqlite"), amounts.records);
  const folder = join(await mkdtemp(join(root, "fairness-")), "data");
  await cp(server.directory, folder, { recursive: true });
  const transactions = await signAll(amounts.transactions);
  return {
    folder,
    arsenal: { account, victim, document: DOCUMENT, batch, verificationId, rowTransaction, transactions },
  };
}

/** Writes what a hostile client knows to a file, for its process. */
export async function writeArsenal(file: string, arsenal: z.output<typeof Arsenal>): Promise<void> {
  await writeFile(file, JSON.stringify(arsenal));
}

async function recordProofs({ url }: Sealbook, { proofs, documents }: Amounts) {
  using progress = showProgress("fairness: recording documents", proofs + documents, "documents");
  let last: z.output<typeof Batch> | undefined;
  for (let done = 0; done < proofs + documents; done += BATCH) {
    const some = Array.from({ length: BATCH }, (_, index) => ({
      document_id: done < documents ? `d${done + index}` : DOCUMENT,
      hash: randomBytes(32).toString("hex"),
    }));
    last = Batch.parse(await post(`${url}/api/v1/proof/batch`, { documents: some }));
    progress.update(done + BATCH);
  }
  return { root: last?.batch.root ?? "", transaction: last?.batch.tx_hash ?? "" };
}

/** Sends a transaction with a row that expands most: the contract refuses it, and the explorer shows it. */
async function writeRow({ chainUrl, directory }: Sealbook): Promise<string> {
  const deployment = await readDeployment(deploymentFile(directory, EMBEDDED_CHAIN_ID));
  if (deployment === undefined) throw new Error("there are no contracts");
  const payload = EXPANDING_PAYLOADS[1] ?? "";
  const raw = await sign(Wallet.createRandom(), 0, {
    to: deployment.contracts.EventTable,
    data: rowCallData(payload),
    gasLimit: 1_000_000,
  });
  const call = { jsonrpc: "2.0", id: 1, method: "eth_sendRawTransaction", params: [raw] };
  return Sent.parse(await post(chainUrl, call)).result;
}

/** Adds records to the index, without the chain. */
function addRecords(file: string, count: number): void {
  using database = new DatabaseSync(file);
  const insert = database.prepare(
    `insert into records
       (table_id, row_id, digest, sender, code, topic, created_at, payload, transaction_hash, block_number)
     values (1, ?, randomblob(32), '0x', ?, ?, '', 'e30=', zeroblob(32), 1)`,
  );
  database.exec("begin immediate");
  for (let row = 0; row < count; row += 1) insert.run(String(FIRST_ROW + row), `old-${row % 1_000}`, TOPIC);
  database.exec("commit");
}

async function signAll(count: number): Promise<string[]> {
  using progress = showProgress("fairness: signing transactions", count, "transactions");
  const wallet = new Wallet(Wallet.createRandom().privateKey);
  const transactions: string[] = [];
  for (let nonce = 0; nonce < count; nonce += 1) {
    transactions.push(await sign(wallet, nonce, { to: NO_ADDRESS, gasLimit: 21_000 }));
    progress.update(nonce);
  }
  return transactions;
}

function sign(wallet: Pick<Wallet, "signTransaction">, nonce: number, rest: TransactionLike<string>): Promise<string> {
  return wallet.signTransaction({ type: 0, chainId: EMBEDDED_CHAIN_ID, gasPrice: 0, nonce, ...rest });
}

async function post(url: string, body: object): Promise<unknown> {
  const headers = { "Content-Type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} responded ${response.status}: ${text.slice(0, 300)}`);
  return JSON.parse(text);
}
