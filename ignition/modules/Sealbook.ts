import { buildModule } from "@nomicfoundation/ignition-core";

/**
 * The three contracts. Parameters:
 *
 * - `administrator`: address that gets the administrator's roles; the account that deploys when unset
 * - `adminDelay`: seconds before a new administrator can accept the role
 * - `relayer`: address that gets the relayer's role on each contract
 * - `lifetime`, `minimumToExtend`: rules of sessions, in seconds
 */
export default buildModule("Sealbook", (m) => {
  const administrator = m.getParameter("administrator", m.getAccount(0));
  const adminDelay = m.getParameter("adminDelay", 86_400);
  const relayer = m.getParameter<string>("relayer");
  const lifetime = m.getParameter("lifetime", 60);
  const minimumToExtend = m.getParameter("minimumToExtend", 15);

  const SessionRegistry = m.contract("SessionRegistry", [
    administrator,
    adminDelay,
    relayer,
    lifetime,
    minimumToExtend,
  ]);
  const EventTable = m.contract("EventTable", [SessionRegistry, administrator, adminDelay, relayer]);
  const ProofAnchor = m.contract("ProofAnchor", [administrator, adminDelay, relayer]);
  return { SessionRegistry, EventTable, ProofAnchor };
});
