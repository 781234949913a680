import { batch, signal } from "@preact/signals";
import { type Decoded, decodeInput, type InputFault } from "./decoding.ts";

/** The input and the result of decoding; kept while other tabs are open. */
export const decodeState = {
  input: signal(""),
  decoded: signal<Decoded | undefined>(undefined),
  fault: signal<InputFault | undefined>(undefined),
  failure: signal<unknown>(undefined),
  isWorking: signal(false),
};

/** Decodes the input. */
export async function decode(): Promise<void> {
  const { input, decoded, fault, failure, isWorking } = decodeState;
  if (isWorking.value) return;
  batch(() => {
    isWorking.value = true;
    decoded.value = undefined;
    fault.value = undefined;
    failure.value = undefined;
  });
  try {
    const result = await decodeInput(input.value);
    if ("fault" in result) fault.value = result.fault;
    else decoded.value = result;
  } catch (error) {
    failure.value = error;
  } finally {
    isWorking.value = false;
  }
}
