import type { FeeConfig } from "../../server/chain/transactions/fees.ts";

/** What the server does without any setting. */
export const FEES: FeeConfig = { mode: "auto", gasPrice: undefined, maxFee: 200_000_000_000n };
