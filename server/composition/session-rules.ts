import { SessionRegistryClient, type SessionRules } from "../chain/contracts/session-registry-client.ts";
import type { SessionRulesConfig } from "../config/chain.ts";
import { SealbookError } from "../errors.ts";
import type { ChainLink } from "./chain-link.ts";

/**
 * Completes the configured session rules with those that apply otherwise.
 * @throws SealbookError `config_invalid` when they contradict each other
 */
export function sessionRules(config: SessionRulesConfig, otherwise: SessionRules): SessionRules {
  const lifetime = config.lifetime ?? otherwise.lifetime;
  const minimumToExtend = config.minimumToExtend ?? otherwise.minimumToExtend;
  if (minimumToExtend < lifetime) return { lifetime, minimumToExtend };
  throw new SealbookError(
    "config_invalid",
    `SESSION_MINIMUM_TO_EXTEND, ${minimumToExtend} s, has to be less than SESSION_LIFETIME, ${lifetime} s: set both`,
  );
}

/**
 * Writes the configured session rules into the contract, unless it has them already.
 * @throws SealbookError `config_invalid` when that needs the administrator's key
 */
export async function applySessionRules(
  config: SessionRulesConfig,
  { rpc, deployment, administration }: ChainLink,
): Promise<void> {
  if (config.lifetime === undefined && config.minimumToExtend === undefined) return;
  const rules = await new SessionRegistryClient(rpc, deployment.contracts.SessionRegistry).rules();
  const configured = sessionRules(config, rules);
  const { lifetime, minimumToExtend: minimum } = configured;
  if (lifetime === rules.lifetime && minimum === rules.minimumToExtend) return;
  if (administration === undefined) {
    throw new SealbookError(
      "config_invalid",
      `the contract's sessions live ${rules.lifetime} s and need more than ${rules.minimumToExtend} s to be ` +
        `extended; changing that to ${lifetime} s and ${minimum} s needs ADMIN_KEY`,
    );
  }
  await administration.setRules(configured);
}
