import { EMBEDDED_CHAIN_ID, embeddedKeys } from "../../server/composition/embedded-chain.ts";
import { openRelayerKey } from "../../server/composition/chain-link.ts";
import type { ChainConfig } from "../../server/config/chain.ts";
import type { Address } from "../../server/chain/transaction.ts";
import { printLine, type Terminal } from "../proofs/terminal.ts";
import { usingChain } from "../using-chain.ts";
import { build } from "./build.ts";
import { configurationFindings, contractFindings, type Finding } from "./findings.ts";

/** Compares the contracts on chain with the build and the configuration. Exit code 1 when something differs. */
export async function check(terminal: Terminal, config: ChainConfig, json: boolean): Promise<void> {
  await build();
  await usingChain(
    config,
    async ({ rpc, deployment, administrator }) => {
      const findings = await contractFindings(rpc, deployment.contracts);
      // Other code would not return its roles in the same way.
      if (findings.every(({ ok }) => ok)) {
        const relayer = await relayerAddress(config, rpc.chainId);
        const configured = { relayer, administrator: administrator?.address, rules: config.sessionRules };
        findings.push(...(await configurationFindings(rpc, deployment, configured)));
      }
      if (json) printLine(terminal, JSON.stringify(findings));
      else printFindings(terminal, findings);
      terminal.exit(findings.every(({ ok }) => ok) ? 0 : 1);
    },
    { onlyReads: true },
  );
}

export function printFindings(terminal: Terminal, findings: readonly Finding[]): void {
  for (const { ok, subject, text } of findings)
    printLine(terminal, `${ok ? "ok     " : "DIFFERS"}  ${subject} ${text}`);
}

/** Returns the address of the configured relayer; `undefined` when none is configured. */
async function relayerAddress(config: ChainConfig, chainId: number): Promise<Address | undefined> {
  if (chainId === EMBEDDED_CHAIN_ID) return (await embeddedKeys(config)).relayer.address;
  if (config.relayer === undefined) return undefined;
  const key = await openRelayerKey(config.relayer);
  key.close?.();
  return key.address;
}
