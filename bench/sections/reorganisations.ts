import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { hexlify, randomBytes, toQuantity, Wallet } from "ethers";
import * as z from "zod";
import { deploy, deploymentFile } from "../../server/chain/contracts/deployment.ts";
import type { Rpc } from "../../server/chain/rpc/rpc.ts";
import { freePort } from "../../test/support/free-port.ts";
import { type ReorganisingChain, startReorganising } from "../chain/reorganising.ts";
import { Documents } from "../load/documents.ts";
import type { Bench } from "../run/bench.ts";
import { showProgress } from "../run/progress.ts";
import { atLeast, atMost } from "../run/result.ts";
import { startSealbook } from "../run/sealbook.ts";
import { FEES } from "../../test/support/fees.ts";

const POSTS_PER_SECOND = 100;
const DEPTHS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
const QUICK_DEPTHS = [1, 12, 6];
const CONFIRMATIONS = 12;
const BLOCKS_BETWEEN = 20;
/** In wei. */
const MONEY = 10n ** 19n;
const TICK_MILLISECONDS = 10;
const LAST_MILLISECONDS = 300_000;
const LOOKED_UP_AT_ONCE = 50;

const Proof = z.object({ block_number: z.number(), block_hash: z.string(), tx_hash: z.string() });
const Answer = z.object({ status: z.string(), proof: Proof.optional() });
const Accounts = z.tuple([z.string()], z.string());
const Block = z.object({
  hash: z.string(),
  transactions: z.array(z.object({ hash: z.string(), from: z.string(), input: z.string() })),
});

/** A chain with fees that reorganises while documents are posted: none lost, none twice, none confirmed too early. */
export async function reorganisations(bench: Bench): Promise<void> {
  for (const name of ["Anvil", "Hardhat"] as const) {
    await using chain = await startReorganising(name, await freePort());
    await measure(bench, chain);
  }
}

async function measure({ report, root, quick }: Bench, chain: ReorganisingChain): Promise<void> {
  const relayer = new Wallet(hexlify(randomBytes(32)));
  const template = await deployTo(chain.rpc, relayer, join(root, `reorganisations-${chain.name}`));
  await chain.rpc.call("evm_setAutomine", [false]);
  chain.start();
  await using server = await startSealbook(
    root,
    {
      RPC_URL: chain.url,
      RELAYER_KEY: relayer.privateKey,
      CONFIRMATIONS: String(CONFIRMATIONS),
      PROOF_WAIT: "60",
    },
    template,
  );
  const load = new Load(server.url, chain);
  const depths = quick ? QUICK_DEPTHS : DEPTHS;
  const start = performance.now();
  const posting = load.run();
  using progress = showProgress(`reorganisations: ${chain.name}`, depths.length, "reorganisations");
  for (const [index, depth] of depths.entries()) {
    for (const until = chain.head + BLOCKS_BETWEEN; chain.head < until;) await sleep(TICK_MILLISECONDS);
    await chain.reorganise(depth);
    progress.update(index + 1);
  }
  load.end();
  const seconds = (performance.now() - start) / 1000;
  await posting;
  const { lost, moved } = await load.lookUpAll();
  const twice = await anchoredTwice(chain.rpc, relayer.address);
  const accepted = load.accepted.length;
  report.add({
    section: "reorganisations",
    name: `${chain.name}, ${depths.length} reorganisations of up to ${Math.max(...depths)} blocks`,
    value: accepted,
    unit: "accepted documents",
    details: {
      posts: load.posts,
      "refused or failed posts": load.refused,
      time_s: seconds,
      blocks: chain.head,
      "confirmed in the response": load.confirmedAtOnce,
    },
    targets: [
      atMost(lost, 0, "lost"),
      atMost(twice, 0, "anchors twice"),
      atMost(load.early, 0, "confirmed too early"),
      atMost(moved, 0, "confirmed in another block later"),
      atLeast(load.posts / seconds, 0.9 * POSTS_PER_SECOND, "posts/s"),
    ],
  });
}

/** Posts at a fixed rate; each response says in which block its document is. */
class Load {
  readonly accepted: string[] = [];
  posts = 0;
  refused = 0;
  early = 0;
  confirmedAtOnce = 0;
  /** Block hashes by document, as the server first called them confirmed. */
  readonly #blocks = new Map<string, string>();
  readonly #agent = new Agent({ keepAlive: true });
  readonly #documents = new Documents();
  readonly #url: string;
  readonly #chain: ReorganisingChain;
  #ended = false;

  constructor(url: string, chain: ReorganisingChain) {
    this.#url = url;
    this.#chain = chain;
  }

  end(): void {
    this.#ended = true;
  }

  async run(): Promise<void> {
    const open = new Set<Promise<void>>();
    for (const start = performance.now(); !this.#ended; await sleep(TICK_MILLISECONDS)) {
      while (this.posts < ((performance.now() - start) / 1000) * POSTS_PER_SECOND) {
        this.posts += 1;
        const post = this.#post().finally(() => open.delete(post));
        open.add(post);
      }
    }
    await Promise.all(open);
  }

  /** Looks up all accepted documents until they are confirmed. Counts those that are not, or in another block. */
  async lookUpAll(): Promise<{ lost: number; moved: number }> {
    const deadline = performance.now() + LAST_MILLISECONDS;
    let waiting = this.accepted;
    let moved = 0;
    for (;;) {
      const left: string[] = [];
      for (let first = 0; first < waiting.length; first += LOOKED_UP_AT_ONCE) {
        const some = waiting.slice(first, first + LOOKED_UP_AT_ONCE);
        await Promise.all(
          some.map(async (id) => {
            const { status, body } = await this.#send("GET", `/api/v1/proof/${id}`);
            const proof = status === 200 ? this.#confirmed(body) : undefined;
            if (proof === undefined) left.push(id);
            else if (proof.block_hash !== (this.#blocks.get(id) ?? proof.block_hash)) moved += 1;
          }),
        );
      }
      waiting = left;
      if (waiting.length === 0 || performance.now() > deadline) return { lost: waiting.length, moved };
      await sleep(1_000);
    }
  }

  async #post(): Promise<void> {
    const document = this.#documents.next();
    try {
      const { status, body } = await this.#send("POST", "/api/v1/proof", JSON.stringify(document));
      if (status !== 201 && status !== 202) {
        this.refused += 1;
        return;
      }
      this.accepted.push(document.document_id);
      const proof = this.#confirmed(body);
      if (proof === undefined) return;
      this.confirmedAtOnce += 1;
      this.#blocks.set(document.document_id, proof.block_hash);
    } catch {
      this.refused += 1;
    }
  }

  #confirmed(body: string): z.output<typeof Proof> | undefined {
    const { status, proof } = Answer.parse(JSON.parse(body));
    if (status !== "confirmed" || proof === undefined) return undefined;
    if (proof.block_number > this.#chain.head - CONFIRMATIONS) this.early += 1;
    return proof;
  }

  #send(method: string, path: string, content?: string): Promise<{ status: number; body: string }> {
    return new Promise((resolve, reject) => {
      const headers = { "content-type": "application/json" };
      const sent = request(`${this.#url}${path}`, { agent: this.#agent, method, headers }, (response) => {
        text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject);
      });
      sent.on("error", reject);
      sent.end(content);
    });
  }
}

/** Deploys the contracts, and pays the relayer. Returns the data folder with the addresses. */
async function deployTo(rpc: Rpc, relayer: Wallet, folder: string): Promise<string> {
  const administrator = new Wallet(hexlify(randomBytes(32)));
  const [rich] = Accounts.parse(await rpc.call("eth_accounts", []));
  for (const to of [relayer.address, administrator.address])
    await rpc.call("eth_sendTransaction", [{ from: rich, to, value: toQuantity(MONEY) }]);
  await mkdir(folder);
  await deploy({
    rpc,
    administrator,
    relayer: relayer.address,
    lifetime: 3600,
    minimumToExtend: 15,
    fees: FEES,
    file: deploymentFile(folder, rpc.chainId),
    onDeployed: () => undefined,
  });
  return folder;
}

/** Returns how many of the relayer's anchors are on the chain more than once. */
async function anchoredTwice(rpc: Rpc, relayer: string): Promise<number> {
  const head = z.coerce.number().parse(await rpc.call("eth_blockNumber", []));
  const anchors: string[] = [];
  for (let number = 0; number <= head; number += 1) {
    const { transactions } = Block.parse(await rpc.call("eth_getBlockByNumber", [toQuantity(number), true]));
    for (const { from, input } of transactions)
      if (from.toLowerCase() === relayer.toLowerCase()) anchors.push(input.slice(0, 74));
  }
  return anchors.length - new Set(anchors).size;
}
