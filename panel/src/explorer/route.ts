import { computed } from "@preact/signals";
import { addressOf as addressIn, route } from "../route.ts";

/** The address of the verification. */
export const VERIFY = addressIn("verify");

/** The parts of the address below `/explorer`. */
export const parts = computed(() => route.value.parts);

/** An address below `/explorer`. */
export function addressOf(...below: readonly string[]): string {
  return addressIn("explorer", ...below);
}
