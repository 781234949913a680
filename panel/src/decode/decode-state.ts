import { batch, signal } from "@preact/signals";
import * as z from "zod";
import { kept } from "../session/kept.ts";
import { type Decoded, decodeInput, type InputError } from "./decoding.ts";

/** The input and the result of decoding; preserved while other tabs are open. */
export const decodeState = {
  input: kept("decode.input", z.string(), ""),
  /** The input of the last decoding. */
  decodedInput: kept("decode.decodedInput", z.string(), ""),
  decoded: signal<Decoded | undefined>(undefined),
  /** The transaction of a call that anchors a hash. */
  anchoredBy: signal<string | undefined>(undefined),
  inputError: signal<InputError | undefined>(undefined),
  failure: signal<unknown>(undefined),
  isWorking: signal(false),
};

/** Decodes the input. */
export async function decode(): Promise<void> {
  const { input, decodedInput, decoded, anchoredBy, inputError, failure, isWorking } = decodeState;
  if (isWorking.value) return;
  decodedInput.value = input.value;
  batch(() => {
    isWorking.value = true;
    decoded.value = undefined;
    anchoredBy.value = undefined;
    inputError.value = undefined;
    failure.value = undefined;
  });
  try {
    const result = await decodeInput(input.value);
    if ("inputError" in result) inputError.value = result.inputError;
    else if ("anchoredBy" in result) anchoredBy.value = result.anchoredBy;
    else decoded.value = result;
  } catch (error) {
    failure.value = error;
  } finally {
    isWorking.value = false;
  }
}
