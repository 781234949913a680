import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Wallet, Transaction } from "ethers";
import type { Proof, ProofRequest } from "../../server/proofs/proof.ts";
import { SealbookError } from "../../server/errors.ts";
import { Disk } from "./disk.ts";
import { SILENCE_MILLISECONDS } from "../../server/journal/leader/silence.ts";
import { Ledger } from "./ledger.ts";
import { Life, type Pace, turn } from "./life.ts";
import { Network } from "./network.ts";
import type { Session } from "./session.ts";
import { randomFrom } from "./random.ts";
import { ADDRESSES, type Relayer, type RelayerRules, startRelayer } from "./relayer.ts";
import type { Step } from "./steps.ts";
import { SimulatedChain } from "./simulated-chain.ts";
import { BEGINNING, VirtualTime } from "./virtual-time.ts";

const CHAIN_ID = 4242;
/** Turns of the event loop without activity, after which none follows. */
const QUIET_ROUNDS = 4;
/** Many times what anything takes. */
const MAX_ROUNDS = 20_000;
/** No stop takes longer, whatever the node does. */
const LONGEST_STOP_MILLISECONDS = 10 * 60_000;

/** Maximum number of things that a process still does after its session. */
const LAST_STEPS = 40;
const LAST_MILLISECONDS = 3_000;
/** Pause after a start that failed. */
const AGAIN_MILLISECONDS = 1_000;

/** How a run is set up. */
export interface Setting {
  /** What is left to chance: which call arrives first, what a kill leaves in the connections. */
  readonly seed: number;
  readonly relayers: number;
  readonly rules: RelayerRules;
  /** A chain that makes its blocks by itself does so this often. */
  readonly blockPeriodMilliseconds: number | undefined;
  /** What does not happen in this run: other things meet each other more often then. */
  readonly without: readonly Step["kind"][];
}

/** A relayer's key, and its process while there is one. */
interface Seat {
  readonly name: string;
  readonly wallet: Wallet;
  life: Life;
  /** Unset while it starts, and once it has stopped. */
  relayer: Relayer | undefined;
  /** Whether it waits until no other one leads. */
  isCandidate: boolean;
  /** The session of its process with the database; unset before the first start. */
  session: Session | undefined;
}

function leads({ life, session }: Seat): boolean {
  return !life.ended && session?.isLost !== true;
}

/** Everything a run consists of. Nothing here waits for the real clock. */
export class World implements AsyncDisposable {
  readonly pace: Pace;
  readonly chain: SimulatedChain;
  readonly network: Network;
  readonly disk: Disk;
  readonly ledger = new Ledger();
  /** Number of leaderships that ended before their process. */
  losses = 0;
  /** What happened, for the reader of a failure. */
  readonly trace: string[] = [];
  readonly #time = new VirtualTime();
  readonly #directory = mkdtempSync(join(tmpdir(), "sealbook-model-"));
  readonly setting: Setting;
  readonly #seats: readonly Seat[];
  /** Requests to a living process without a response. */
  readonly #open = new Map<object, Life>();
  /** Ends what disturbs the sessions. */
  readonly #ends: (() => void)[] = [];
  #violation: Error | undefined;

  constructor(setting: Setting, template: string) {
    this.setting = setting;
    this.pace = { random: randomFrom(setting.seed), activity: 0 };
    this.chain = new SimulatedChain(ADDRESSES.ProofAnchor, this.#time.now, this.pace.random);
    this.network = new Network(this.chain, this.pace, (raw) =>
      this.#guard(() => this.ledger.assertSigned(raw, this.disk)),
    );
    this.disk = new Disk(this.#directory, template);
    this.#seats = Array.from({ length: setting.relayers }, (_, index) => {
      // A leader does not replace what was signed with another key when fees rise: with own keys they do not.
      const hasOwnKey = setting.without.includes("price");
      const wallet = new Wallet(`0x${"5e".repeat(31)}0${hasOwnKey ? index + 1 : 1}`);
      const life = new Life(this.pace, () => undefined);
      life.endAfter(0);
      return { name: `relayer ${index}`, wallet, life, relayer: undefined, isCandidate: false, session: undefined };
    });
    const period = setting.blockPeriodMilliseconds;
    if (period !== undefined) setInterval(() => this.mine(), period);
  }

  get relayers(): readonly string[] {
    return [...new Set(this.#seats.map(({ wallet }) => wallet.address))];
  }

  /** @throws what a relayer did that it must not do */
  check(): void {
    if (this.#violation !== undefined) throw this.#violation;
  }

  start(index: number): void {
    const seat = this.#seat(index);
    if (!seat.life.ended) return;
    seat.isCandidate = this.#seats.some(leads);
    if (!seat.isCandidate) this.#lead(seat);
  }

  /** Has one lead while another one does, as after a failure of the lock. */
  breakLock(): void {
    const seat = this.#seats.find(({ isCandidate, life }) => isCandidate && life.ended);
    if (seat !== undefined) this.#lead(seat);
  }

  #lead(seat: Seat): void {
    seat.isCandidate = false;
    const life = new Life(this.pace, () => {
      this.log(`${seat.name} is killed`);
      this.disk.killed(life);
      seat.relayer = undefined;
      // Acknowledged data must be in the files that the next process reads.
      this.#guard(() => this.ledger.assertKept(this.disk));
      queueMicrotask(() => this.#nextLeader());
    });
    const { dialect, session } = this.disk.connect(life, this.pace, () => {
      this.log(`${seat.name} does not lead any more`);
      this.losses += 1;
      seat.relayer = undefined;
      seat.isCandidate = true;
      // Until everything has ended, some of it goes on.
      life.endAfter(1 + Math.floor(this.pace.random() * LAST_STEPS));
      const end = (): void => (life.isHalted ? void setTimeout(end, LAST_MILLISECONDS) : life.endAfter(0));
      setTimeout(end, LAST_MILLISECONDS);
      queueMicrotask(() => this.#nextLeader());
    });
    Object.assign(seat, { life, session });
    this.log(`${seat.name} starts`);
    const rpc = this.network.connect(CHAIN_ID, life);
    startRelayer(seat.wallet.privateKey, dialect, rpc, this.setting.rules, (text) =>
      this.log(`${seat.name}: ${text}`),
    ).then(
      (relayer) => {
        if (life.ended || session.isLost) return;
        this.log(`${seat.name} listens`);
        seat.relayer = relayer;
      },
      (error: unknown) => {
        this.log(`${seat.name} did not start: ${String(error)}`);
        // Its process ends, and takes with it whatever it had begun. Another attempt follows.
        life.endAfter(0);
        setTimeout(() => {
          seat.isCandidate ||= seat.life === life;
          this.#nextLeader();
        }, AGAIN_MILLISECONDS);
      },
    );
  }

  kill(index: number, afterSteps: number): void {
    const seat = this.#seat(index);
    seat.isCandidate = false;
    seat.life.endAfter(afterSteps);
  }

  /** Has a process that leads do nothing for some time, after which the database may have ended its session. */
  pause(index: number, milliseconds: number): void {
    const seat = this.#leading(index);
    if (seat === undefined) return;
    const { life } = seat;
    life.pause();
    this.#disturbed(seat, milliseconds, () => life.resume());
  }

  /** Cuts one that leads off from the database for some time. */
  cut(index: number, milliseconds: number): void {
    const seat = this.#leading(index);
    const session = seat?.session;
    if (seat === undefined || session === undefined) return;
    session.cut();
    this.#disturbed(seat, milliseconds, () => session.mend());
  }

  /** Has the response to the next commit of one that leads get lost. */
  loseCommit(index: number): void {
    this.#leading(index)?.session?.loseCommit();
  }

  #disturbed({ session, name }: Seat, milliseconds: number, restore: () => void): void {
    const end = (): void => {
      this.log(`${name} goes on`);
      restore();
    };
    setTimeout(end, milliseconds);
    this.#ends.push(restore);
    if (milliseconds > SILENCE_MILLISECONDS) setTimeout(() => void session?.lose(), SILENCE_MILLISECONDS);
  }

  /** One of those that lead: there are two only after a failure of the lock. */
  #leading(index: number): Seat | undefined {
    const leading = this.#seats.filter(leads);
    return leading[index % leading.length];
  }

  async stop(index: number): Promise<void> {
    const seat = this.#seat(index);
    seat.isCandidate = false;
    const { relayer, life } = seat;
    if (relayer === undefined) return;
    seat.relayer = undefined;
    this.log(`${seat.name} stops`);
    let stopped = false;
    const cutOff = (): void => this.#open.forEach((owner, call) => owner === life && this.#open.delete(call));
    relayer.stop(cutOff).then(
      () => {
        stopped = true;
        this.log(`${seat.name} has stopped`);
        life.endAfter(0);
      },
      (error: unknown) =>
        this.#guard(() => {
          throw error;
        }),
    );
    const end = this.#time.now + LONGEST_STOP_MILLISECONDS;
    while (!stopped && !life.ended) {
      await this.wait(1_000);
      if (this.#time.now > end) throw new Error(`${seat.name} does not stop`);
    }
  }

  /** A request without a wait: its response arrives later, or its process is killed before. */
  post(index: number, requests: readonly ProofRequest[], together: boolean): void {
    const { relayer, life, name } = this.#seat(index);
    const [first] = requests;
    if (relayer === undefined || first === undefined) return;
    const call = {};
    this.#open.set(call, life);
    const responding = together
      ? relayer.proofs.submitTogether(requests).then(({ proofs, isNew }) => ({ proofs, isNew }))
      : relayer.proofs.submit(first).then(({ proof, isNew }) => ({ proofs: [proof], isNew }));
    responding.then(
      ({ proofs, isNew }) => {
        // Nobody hears a process that is dead, or that has cut the connection.
        if (life.ended || !this.#open.delete(call)) return;
        this.log(
          `${name} returns ${proofs.map(({ documentId, outcome }) => `${documentId} ${outcome.state}`).join(", ")}`,
        );
        this.#guard(() => this.#responses(requests, proofs, isNew));
      },
      (error: unknown) => {
        if (life.ended || !this.#open.delete(call)) return;
        this.log(`${name} refuses: ${String(error)}`);
        const expected =
          error instanceof SealbookError ? error.code !== "internal" : String(error).includes("disk is full");
        if (!expected)
          this.#guard(() => {
            throw error;
          });
      },
    );
  }

  mine(): void {
    this.chain.mine(this.#time.now);
    const newest = this.chain.blocks.at(-1);
    if (newest?.transactions.length) {
      const nonces = newest.transactions.map(({ nonce, succeeded }) => `${nonce}${succeeded ? "" : "!"}`);
      this.log(`block ${newest.number}: ${nonces.join(" ")}`);
    }
  }

  /** Another process signs with a relayer's key: after the transactions of the pool, or instead of the next one. */
  takeNonce(index: number, instead: boolean): void {
    const { wallet } = this.#seat(index);
    const nonce = instead ? this.chain.nonceOf(wallet.address) : this.chain.freeNonceOf(wallet.address);
    const transaction = Transaction.from({
      type: 0,
      chainId: CHAIN_ID,
      to: wallet.address,
      nonce,
      gasLimit: 21_000,
      // More than any block asks for.
      gasPrice: 10n ** 12n,
      data: "0x",
    });
    transaction.signature = wallet.signingKey.sign(transaction.unsignedHash);
    this.chain.replace(transaction.serialized);
  }

  /** Lets pass what needs no time. */
  async untilIdle(): Promise<void> {
    for (let quiet = 0, rounds = 0; quiet < QUIET_ROUNDS; rounds += 1) {
      if (rounds > MAX_ROUNDS) throw new Error("something goes on for ever without waiting");
      const { activity } = this.pace;
      await turn();
      quiet = activity === this.pace.activity && this.network.idle ? quiet + 1 : 0;
    }
  }

  wait(milliseconds: number): Promise<void> {
    return this.#time.advance(milliseconds, () => this.untilIdle());
  }

  /** Everything works again, with all relayers. */
  async recover(): Promise<void> {
    this.network.heal();
    this.disk.fail(0);
    for (const end of this.#ends) end();
    Object.assign(this.chain, { lag: 0, roleGiven: true, blocksThatFail: 0 });
    for (const [index, { relayer, life }] of this.#seats.entries()) {
      // One that was to be killed later on is killed now, so that it does not die in the end.
      if (relayer === undefined || life.doomed) life.endAfter(0);
      this.start(index);
    }
    await this.untilIdle();
  }

  /** Requests to living processes without a response. */
  get waiting(): number {
    return [...this.#open.values()].filter((life) => !life.ended).length;
  }

  #nextLeader(): void {
    const next = this.#seats.findIndex(({ isCandidate, life }) => isCandidate && life.ended);
    if (next !== -1) this.start(next);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const seat of this.#seats) seat.isCandidate = false;
    for (const end of this.#ends) end();
    for (const { life } of this.#seats) life.endAfter(0);
    await this.untilIdle();
    this.#time[Symbol.dispose]();
    this.disk.close();
    rmSync(this.#directory, { recursive: true });
  }

  #responses(requests: readonly ProofRequest[], proofs: readonly Proof[], isNew: boolean): void {
    this.ledger.acknowledge(requests, proofs, isNew);
    this.ledger.assertKept(this.disk);
    this.ledger.assertOnChain(proofs, this.chain);
  }

  #seat(index: number): Seat {
    const seat = this.#seats[index % this.#seats.length];
    if (seat === undefined) throw new RangeError(`there is no relayer ${index}`);
    return seat;
  }

  #guard(check: () => void): void {
    try {
      check();
    } catch (error) {
      this.#violation ??= error instanceof Error ? error : new Error(String(error));
    }
  }

  /** Notes what happened. */
  log(text: string): void {
    this.trace.push(`${((this.#time.now - BEGINNING) / 1000).toFixed(3)} ${text}`);
  }
}
