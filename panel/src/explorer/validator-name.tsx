import { shortened } from "../format/shortened.ts";
import { addressOf } from "./route.ts";

const ZERO_ADDRESS = /^0x0{40}$/;

/** The validator that proposed or committed a block: the configured name, else the address. */
export function ValidatorName({
  of: { address, name },
}: {
  of: { readonly address: string; readonly name?: string | undefined };
}) {
  const text = name ?? shortened(address);
  // The embedded chain's blocks have no proposer.
  return ZERO_ADDRESS.test(address) ? (
    <span>{text}</span>
  ) : (
    <a class={name === undefined ? "mono" : undefined} href={addressOf("address", address)} title={address}>
      {text}
    </a>
  );
}
