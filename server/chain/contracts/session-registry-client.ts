import { AbiCoder, type BaseWallet, getBytes, hashMessage, keccak256 } from "ethers";
import { signDigest } from "../fast-crypto.ts";
import type { NodeLog } from "../node/log.ts";
import type { Rpc } from "../rpc/rpc.ts";
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

/** An event of an account. */
export type AccountEvent =
  | { readonly kind: "enrolled"; readonly account: Address; readonly scope: Scope }
  | { readonly kind: "revoked"; readonly account: Address };

/** Enrols and revokes accounts on chain; each call returns when its transaction is mined. */
export interface Registrar {
  enroll(account: Address, scope: Scope): Promise<void>;
  revoke(account: Address): Promise<void>;
}

/** A {@link Registrar} that also changes the rules. */
export interface SessionAdministration extends Registrar {
  /** Sets the rules of sessions that are opened or extended from then on. */
  setRules(rules: SessionRules): Promise<void>;
}

const ABI = INTERFACES.SessionRegistry;
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

  /** Fetches a session by the keccak-256 of its token; `undefined` for an unknown one. */
  async sessionOf(tokenHash: Uint8Array): Promise<SessionOnChain | undefined> {
    const result = await this.#read(ABI.encodeFunctionData("sessionOf", [tokenHash]));
    const [session] = ABI.decodeFunctionResult("sessionOf", result);
    const expiresAt = Number(session.expiresAt);
    return expiresAt === 0
      ? undefined
      : { expiresAt, validated: Boolean(session.validated), ended: Boolean(session.ended) };
  }

  /** Fetches the scope of an account; `undefined` for one that is not enrolled. */
  async scopeOf(account: Address): Promise<Scope | undefined> {
    const result = await this.#read(ABI.encodeFunctionData("scopeOf", [account]));
    return SCOPES[Number(ABI.decodeFunctionResult("scopeOf", result)[0])];
  }

  /** Encodes the call that opens a session, with the account's signature over the token hash. */
  openCall(account: Address, tokenHash: Uint8Array, signingKey: Uint8Array): ContractCall {
    const digest = openingDigest(this.#rpc.chainId, this.#address, account, tokenHash);
    const signature = signDigest(hashMessage(digest), signingKey).serialized;
    return call("session_open", ABI.encodeFunctionData("open", [account, tokenHash, signature]));
  }

  validateCall(tokenHash: Uint8Array, newTokenHash: Uint8Array): ContractCall {
    return call("session_validate", ABI.encodeFunctionData("validate", [tokenHash, newTokenHash]));
  }

  extendCall(tokenHash: Uint8Array, newTokenHash: Uint8Array): ContractCall {
    return call("session_extend", ABI.encodeFunctionData("extend", [tokenHash, newTokenHash]));
  }

  closeCall(tokenHash: Uint8Array): ContractCall {
    return call("session_close", ABI.encodeFunctionData("close", [tokenHash]));
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
}

function topicOf(event: "AccountEnrolled" | "AccountRevoked"): string {
  return ABI.getEvent(event).topicHash;
}

function call(purpose: TransactionPurpose, data: string): ContractCall {
  return contractCall(purpose, "SessionRegistry", data);
}

/** Computes the digest that an account signs to open a session; the contract computes the same. */
function openingDigest(chainId: number, registry: Address, account: Address, tokenHash: Uint8Array): Uint8Array {
  const encoded = AbiCoder.defaultAbiCoder().encode(
    ["uint256", "address", "address", "bytes32"],
    [chainId, registry, account, tokenHash],
  );
  return getBytes(keccak256(encoded));
}
