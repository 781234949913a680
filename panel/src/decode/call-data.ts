import { id } from "ethers";

const ARGUMENTS = "(string,uint256,bytes,bool,string)";
/** The functions that store a row. */
const FUNCTIONS = ["set", "insert"] as const;

const ANCHOR_FUNCTIONS = ["anchor(bytes32)", "anchorBatch(bytes32,uint32)"];

/** A function that stores a row. */
export type RowFunction = (typeof FUNCTIONS)[number];

/** Returns the function of call data, by its first four bytes. */
export function functionOf(callData: string): RowFunction | undefined {
  return FUNCTIONS.find((name) => id(`${name}${ARGUMENTS}`).slice(0, 10) === callData.slice(0, 10).toLowerCase());
}

/** Returns the hash that call data anchors, alone or as the root of a batch; `undefined` for another call. */
export function anchoredHashOf(callData: string): string | undefined {
  const isAnchor = ANCHOR_FUNCTIONS.some((signature) => callData.startsWith(id(signature).slice(0, 10)));
  return isAnchor && callData.length >= 74 ? `0x${callData.slice(10, 74)}` : undefined;
}

/** Decodes the bytes of a text, hex without prefix. */
export function textOf(hex: string): string {
  return new TextDecoder().decode(Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16)));
}
