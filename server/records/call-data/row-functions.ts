import type { FunctionFragment } from "ethers";
import { ROW_FUNCTIONS, type RowFunction } from "../decoded-transaction.ts";
import { INTERFACES } from "../../chain/contracts/interfaces.ts";

/** The ABI of the event table. */
export const eventTableInterface = INTERFACES.EventTable;

/** The ABI of a row function. */
export function rowFunctionFragment(name: RowFunction): FunctionFragment {
  return eventTableInterface.getFunction(name);
}

const BY_SELECTOR: ReadonlyMap<string, RowFunction> = new Map(
  ROW_FUNCTIONS.map((name) => [rowFunctionFragment(name).selector, name]),
);

/** Returns the row function of a selector: `0x` and eight lower-case digits. */
export function rowFunctionOf(selector: string): RowFunction | undefined {
  return BY_SELECTOR.get(selector);
}
