import { setTimeout as sleep } from "node:timers/promises";
import { AbiCoder, type BaseWallet, getAddress, getBytes, hexlify, hashMessage, keccak256 } from "ethers";
import { signDigest } from "../fast-crypto.ts";
import type { NodeLog } from "../node/log.ts";
import { isLagging, type Rpc } from "../rpc/rpc.ts";
import type { Address, ContractCall, TransactionPurpose } from "../transaction.ts";
import { sendAdministratorCall } from "../transactions/administrator-call.ts";
import type { FeeConfig } from "../transactions/fees.ts";
import { contractCall, INTERFACES, readContract } from "./interfaces.ts";

/** The rights of an account: `full`, or `read` (search and decode only). */
export type Scope = "full" | "read";

/** Life cycle rules of sessions, in seconds. */
export interface SessionRules {
  readonly lifetime: number;
  /** The least remaining lifetime that an extension needs. */
  readonly minimumToExtend: number;
}

/** A session in the registry. */
export interface SessionOnChain {
  /** Unix seconds. */
  readonly expiresAt: number;
  readonly validated: boolean;
  readonly ended: boolean;
}

/** The opening of a session, which its account signs. */
export interface SessionOpening {
  readonly account: Address;
  /** keccak-256 of the token. */
  readonly tokenHash: Uint8Array;
  /** Last block time at which it counts, in Unix seconds. */
  readonly deadline: number;
}

/** A session with its current token. */
export interface CurrentToken {
  readonly id: Uint8Array;
  /** keccak-256 of the token. */
  readonly tokenHash: Uint8Array;
}

/** An event of an account. */
export type AccountEvent =
  | { readonly kind: "enrolled"; readonly account: Address; readonly scope: Scope }
  | { readonly kind: "revoked"; readonly account: Address };

/** Enrols and revokes accounts on chain; each change returns when its transaction is mined. */
export interface Registrar {
  enroll(account: Address, scope: Scope): Promise<void>;
  revoke(account: Address): Promise<void>;
}

/** A {@link Registrar} that also changes the rules. */
export interface SessionAdministration extends Registrar {
  /** Sets the rules of sessions that are opened or extended from then on. */
  setRules(rules: SessionRules): Promise<void>;
}

/** How often a node is asked that lacks a block, and the interval. */
const LAGGING_ATTEMPTS = 10;
const LAGGING_MILLISECONDS = 500;

const ABI = INTERFACES.SessionRegistry;
const SESSION_ID_BYTES = 32;
const SCOPES = [undefined, "read", "full"] as const satisfies readonly (Scope | undefined)[];

/** The client of the SessionRegistry contract: encodes its calls, reads its state and its events. */
export class SessionRegistryClient {
  /** Topics of the events that {@link SessionRegistryClient.accountEventOf} decodes. */
  static readonly ACCOUNT_TOPICS: readonly string[] = [topicOf("AccountEnrolled"), topicOf("AccountRevoked")];

  readonly #rpc: Rpc;
  readonly #address: Address;

  constructor(rpc: Rpc, address: Address) {
    this.#rpc = rpc;
    this.#address = address;
  }

  async rules(): Promise<SessionRules> {
    const [lifetime, minimum] = await Promise.all([
      this.#read(ABI.encodeFunctionData("lifetime")),
      this.#read(ABI.encodeFunctionData("minimumToExtend")),
    ]);
    return {
      lifetime: Number(ABI.decodeFunctionResult("lifetime", lifetime)[0]),
      minimumToExtend: Number(ABI.decodeFunctionResult("minimumToExtend", minimum)[0]),
    };
  }

  /**
   * Fetches a session by its {@link sessionIdOf identifier}; `undefined` for an unknown one.
   * @param since The node has to have this block; one behind a balancer can lag a little
   */
  async sessionOf(session: Uint8Array, since?: number): Promise<SessionOnChain | undefined> {
    const result = await this.#readSince(ABI.encodeFunctionData("sessionOf", [session]), since);
    const [state] = ABI.decodeFunctionResult("sessionOf", result);
    const expiresAt = Number(state.expiresAt);
    return expiresAt === 0
      ? undefined
      : { expiresAt, validated: Boolean(state.validated), ended: Boolean(state.ended) };
  }

  /** Asks whether a session is live with this token, and its account enrolled. */
  async isLive({ id, tokenHash }: CurrentToken): Promise<boolean> {
    const result = await this.#read(ABI.encodeFunctionData("isLive", [id, tokenHash]));
    return ABI.decodeFunctionResult("isLive", result)[0];
  }

  /** Fetches the scope of an account; `undefined` for one that is not enrolled. */
  async scopeOf(account: Address): Promise<Scope | undefined> {
    const result = await this.#read(ABI.encodeFunctionData("scopeOf", [account]));
    return SCOPES[Number(ABI.decodeFunctionResult("scopeOf", result)[0])];
  }

  /** Encodes the call that opens a session, with the account's signature over it. */
  openCall(opening: SessionOpening, signingKey: Uint8Array): ContractCall {
    const { account, tokenHash, deadline } = opening;
    const digest = openingDigest(this.#rpc.chainId, this.#address, opening);
    const signature = signDigest(hashMessage(digest), signingKey).serialized;
    return call("session_open", ABI.encodeFunctionData("open", [account, tokenHash, deadline, signature]));
  }

  validateCall({ id, tokenHash }: CurrentToken, newTokenHash: Uint8Array): ContractCall {
    return call("session_validate", ABI.encodeFunctionData("validate", [id, tokenHash, newTokenHash]));
  }

  extendCall({ id, tokenHash }: CurrentToken, newTokenHash: Uint8Array): ContractCall {
    return call("session_extend", ABI.encodeFunctionData("extend", [id, tokenHash, newTokenHash]));
  }

  closeCall({ id, tokenHash }: CurrentToken): ContractCall {
    return call("session_close", ABI.encodeFunctionData("close", [id, tokenHash]));
  }

  /** @param administrator A key with the registrar's and the administrator's role */
  administeredBy(administrator: BaseWallet, fees: FeeConfig): SessionAdministration {
    const send = async (data: string): Promise<void> => {
      await sendAdministratorCall(this.#rpc, administrator, { to: this.#address, data, fees });
    };
    return {
      enroll: (account, scope) => send(ABI.encodeFunctionData("enroll", [account, SCOPES.indexOf(scope)])),
      revoke: (account) => send(ABI.encodeFunctionData("revoke", [account])),
      setRules: ({ lifetime, minimumToExtend }) =>
        send(ABI.encodeFunctionData("setLifetime", [lifetime, minimumToExtend])),
    };
  }

  /** Decodes an event of an account; `undefined` for any other event. */
  static accountEventOf(log: Pick<NodeLog, "topics" | "data">): AccountEvent | undefined {
    const event = ABI.parseLog(log);
    if (event?.name === "AccountRevoked") return { kind: "revoked", account: String(event.args.getValue("account")) };
    if (event?.name !== "AccountEnrolled") return undefined;
    const scope = SCOPES[Number(event.args.getValue("scope"))];
    return scope && { kind: "enrolled", account: String(event.args.getValue("account")), scope };
  }

  #read(data: string): Promise<string> {
    return readContract(this.#rpc, this.#address, data);
  }

  async #readSince(data: string, since: number | undefined): Promise<string> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await readContract(this.#rpc, this.#address, data, since);
      } catch (error) {
        if (!isLagging(error) || attempt === LAGGING_ATTEMPTS) throw error;
      }
      await sleep(LAGGING_MILLISECONDS);
    }
  }
}

function topicOf(event: "AccountEnrolled" | "AccountRevoked"): string {
  return ABI.getEvent(event).topicHash;
}

function call(purpose: TransactionPurpose, data: string): ContractCall {
  return contractCall(purpose, "SessionRegistry", data);
}

/** Computes the digest that an account signs to open a session; the contract computes the same. */
function openingDigest(
  chainId: number,
  registry: Address,
  { account, tokenHash, deadline }: SessionOpening,
): Uint8Array {
  const encoded = AbiCoder.defaultAbiCoder().encode(
    ["uint256", "address", "address", "bytes32", "uint64"],
    [chainId, registry, account, tokenHash, deadline],
  );
  return getBytes(keccak256(encoded));
}

/** Returns the identifier of the session that an opening makes: the account, then the start of the token hash. */
export function sessionIdOf(account: Address, tokenHash: Uint8Array): Uint8Array {
  const address = getBytes(account);
  return Buffer.concat([address, tokenHash.subarray(0, SESSION_ID_BYTES - address.length)]);
}

/** Returns the account of a session, which its identifier starts with. */
export function accountOf(session: Uint8Array): Address {
  return getAddress(hexlify(session.subarray(0, 20)));
}
