import { RLP } from "@ethereumjs/rlp";
import { computeAddress, concat, hexlify, id, keccak256, SigningKey, toBeHex } from "ethers";
import { BlockHeader, encodeHeader } from "../../server/chain/evidence/block-header.ts";
import type { BftProtocol } from "../../server/chain/evidence/consensus-seals.ts";
import type { Rpc } from "../../server/chain/rpc/rpc.ts";

/** Validators with publicly known keys. */
export interface TestValidators {
  readonly keys: readonly SigningKey[];
  /** Lower-case. */
  readonly addresses: readonly string[];
}

/** @param name Different names give different keys */
export function testValidators(count: number, name = "validator"): TestValidators {
  const keys = Array.from({ length: count }, (_, index) => new SigningKey(id(`${name} ${index}`)));
  return { keys, addresses: keys.map((key) => computeAddress(key).toLowerCase()) };
}

/** Rules for sealing a block. */
export interface Sealing {
  readonly protocol: BftProtocol;
  /** The validators in the header. */
  readonly validators: TestValidators;
  readonly round: number;
  /** The validators that seal the block; may be others, or too few. */
  readonly signers: readonly SigningKey[];
}

const VANITY = `0x${"00".repeat(32)}`;

/**
 * Converts a node's block to one of a BFT network, by the rules of the protocols. The content of the commit seals and
 * of the block's hash is implemented independently here, so that a fault in the server's own code is detected.
 */
export function sealBlock(
  block: Record<string, unknown>,
  { protocol, validators, round, signers }: Sealing,
): Record<string, unknown> {
  const header = (extra: Parameters<typeof RLP.encode>[0]): { extraData: string; hash: string } => {
    const extraData = hexlify(RLP.encode(extra));
    return { extraData, hash: keccak256(encodeHeader(BlockHeader.parse({ ...block, extraData }))) };
  };
  const addresses = [...validators.addresses];
  const fixedRound = toBeHex(round, 4);
  const sealed = header(
    protocol === "ibft2" ? [VANITY, addresses, "", fixedRound] : [VANITY, addresses, [], round, []],
  );
  const onChain = header(protocol === "ibft2" ? [VANITY, addresses, ""] : [VANITY, addresses, [], 0, []]);
  const seals = signers.map((key) => {
    const { r, s, yParity } = key.sign(sealed.hash);
    return concat([r, s, Uint8Array.of(yParity)]);
  });
  const whole = header(
    protocol === "ibft2" ? [VANITY, addresses, "", fixedRound, seals] : [VANITY, addresses, [], round, seals],
  );
  return { ...block, extraData: whole.extraData, hash: onChain.hash };
}

/** Presents a node's blocks as those of a BFT network. */
export function bftRpc(rpc: Rpc, sealing: Sealing): Rpc {
  const sealed = async (number: unknown, full: unknown): Promise<Record<string, unknown>> => {
    const block = await rpc.call("eth_getBlockByNumber", [number, full]);
    if (typeof block !== "object" || block === null) throw new Error(`there is no block ${String(number)}`);
    return sealBlock({ ...block }, sealing);
  };
  return {
    chainId: rpc.chainId,
    close: () => rpc.close(),
    async call(method, parameters) {
      if (method === "eth_getBlockByNumber") return sealed(parameters[0], parameters[1]);
      const response = await rpc.call(method, parameters);
      if (method !== "eth_getBlockReceipts" || !Array.isArray(response)) return response;
      const { hash } = await sealed(parameters[0], false);
      return response.map((receipt: object) => ({ ...receipt, blockHash: hash }));
    },
  };
}
