import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import type { ContractTransactionResponse } from "ethers";
import hre from "hardhat";
import { merkleTree } from "../../server/journal/integrity/merkle.ts";
import {
  ACCEPTED,
  ADMIN_DELAY,
  LIFETIME,
  MINIMUM_TO_EXTEND,
  NO_DEADLINE,
  RELAYER_ROLE,
  Scope,
  type Contracts,
  codeReturning,
  deployContracts,
  ethers,
  loadFixture,
  noise,
  openSession,
  openingSignature,
  type PlacedRow,
  rowSignature,
  setCode,
  time,
} from "./fixtures.ts";

const SNAPSHOT = fileURLToPath(new URL("gas-snapshot.json", import.meta.url));
const REWRITE = "UPDATE_GAS_SNAPSHOT=1 npx hardhat test mocha test/contracts/gas.test.ts";

/** What a record, a batch, and a call that renews a session may cost, as whole transactions. */
const MAX_INSERT_GAS = 80_000;
const MAX_BATCH_GAS = 50_000;
const MAX_RENEWAL_GAS = 45_000;

const [first, second, third] = ["first", "second", "third"].map((name) => ethers.id(name)) as [string, string, string];
// The row id is a time in microseconds, as identifiers of records of other systems are.
const ROW: PlacedRow = ["events", 1_700_000_000_123_456n, noise(425), true];

async function gasOf(response: Promise<ContractTransactionResponse>): Promise<number> {
  const receipt = await (await response).wait();
  if (receipt === null) throw new Error("No receipt");
  return Number(receipt.gasUsed);
}

type Measure = (contracts: Contracts) => Promise<number | bigint>;

async function measureDeployment(contract: { deploymentTransaction(): ContractTransactionResponse | null }) {
  const transaction = contract.deploymentTransaction();
  if (transaction === null) throw new Error("Not deployed here");
  return gasOf(Promise.resolve(transaction));
}

/** Measures of the roles, which all three contracts inherit. */
function roles(name: "registry" | "table" | "anchors"): Record<string, Measure> {
  const contract = { registry: "SessionRegistry", table: "EventTable", anchors: "ProofAnchor" }[name];
  return {
    [`${contract}.grantRole`]: (c) => gasOf(c[name].connect(c.admin).grantRole(RELAYER_ROLE, c.outsider)),
    [`${contract}.revokeRole`]: (c) => gasOf(c[name].connect(c.admin).revokeRole(RELAYER_ROLE, c.relayer)),
    [`${contract}.renounceRole`]: (c) => gasOf(c[name].renounceRole(RELAYER_ROLE, c.relayer)),
    [`${contract}.beginDefaultAdminTransfer`]: (c) =>
      gasOf(c[name].connect(c.admin).beginDefaultAdminTransfer(c.outsider)),
    [`${contract}.cancelDefaultAdminTransfer`]: async (c) => {
      await c[name].connect(c.admin).beginDefaultAdminTransfer(c.outsider);
      return gasOf(c[name].connect(c.admin).cancelDefaultAdminTransfer());
    },
    [`${contract}.acceptDefaultAdminTransfer`]: async (c) => {
      await c[name].connect(c.admin).beginDefaultAdminTransfer(c.outsider);
      await time.increase(ADMIN_DELAY + 1n);
      return gasOf(c[name].connect(c.outsider).acceptDefaultAdminTransfer());
    },
    [`${contract}.changeDefaultAdminDelay`]: (c) => gasOf(c[name].connect(c.admin).changeDefaultAdminDelay(60)),
    [`${contract}.rollbackDefaultAdminDelay`]: async (c) => {
      await c[name].connect(c.admin).changeDefaultAdminDelay(60);
      return gasOf(c[name].connect(c.admin).rollbackDefaultAdminDelay());
    },
  };
}

const measures: Record<string, Measure> = {
  "SessionRegistry (deployment)": async ({ admin, relayer }) =>
    measureDeployment(
      await ethers.deployContract("SessionRegistry", [admin, ADMIN_DELAY, relayer, LIFETIME, MINIMUM_TO_EXTEND]),
    ),
  "SessionRegistry.enroll": ({ registry, admin, outsider }) =>
    gasOf(registry.connect(admin).enroll(outsider, Scope.Full)),
  "SessionRegistry.revoke": ({ registry, admin, user }) => gasOf(registry.connect(admin).revoke(user)),
  "SessionRegistry.setLifetime": ({ registry, admin }) => gasOf(registry.connect(admin).setLifetime(600, 60)),
  "SessionRegistry.open": async (c) =>
    gasOf(c.registry.open(c.user, first, NO_DEADLINE, await openingSignature(c, c.user, first))),
  "SessionRegistry.validate": async (c) => {
    const { session } = await openSession(c, first);
    return gasOf(c.registry.validate(session, first, second));
  },
  "SessionRegistry.extend": async (c) => {
    const { session } = await openSession(c, first);
    await c.registry.validate(session, first, second);
    return gasOf(c.registry.extend(session, second, third));
  },
  "SessionRegistry.close": async (c) => {
    const { session } = await openSession(c, first);
    return gasOf(c.registry.close(session, first));
  },
  "SessionRegistry.isLive (call)": async (c) => {
    const { session } = await openSession(c, first);
    return c.registry.isLive.estimateGas(session, first);
  },
  "SessionRegistry.scopeOf (call)": ({ registry, user }) => registry.scopeOf.estimateGas(user),
  ...roles("registry"),

  "EventTable (deployment)": async ({ registry, admin, relayer }) =>
    measureDeployment(await ethers.deployContract("EventTable", [registry, admin, ADMIN_DELAY, relayer])),
  "EventTable.insert (425 bytes)": async (c) => gasOf(c.table.insert(...ROW, await rowSignature(c, c.user, ROW))),
  "EventTable.insert (425 bytes, signed by a contract)": async (c) => {
    await setCode(c.outsider.address, codeReturning(ACCEPTED));
    await c.registry.connect(c.admin).enroll(c.outsider, Scope.Full);
    return gasOf(c.table.insert(...ROW, ethers.concat([c.outsider.address, noise(130)])));
  },
  "EventTable.set (425 bytes)": async (c) => gasOf(c.table.set(...ROW, await rowSignature(c, c.user, ROW))),
  "EventTable.set (425 bytes, over another row)": async (c) => {
    const before: PlacedRow = ["events", ROW[1], noise(425, "before"), true];
    await c.table.set(...before, await rowSignature(c, c.user, before));
    return gasOf(c.table.set(...ROW, await rowSignature(c, c.user, ROW)));
  },
  "EventTable.digestOf (call)": ({ table }) => table.digestOf.estimateGas("events", ROW[1]),
  ...roles("table"),

  "ProofAnchor (deployment)": async ({ admin, relayer }) =>
    measureDeployment(await ethers.deployContract("ProofAnchor", [admin, ADMIN_DELAY, relayer])),
  "ProofAnchor.anchor": ({ anchors }) => gasOf(anchors.anchor(first)),
  "ProofAnchor.anchor (again)": async ({ anchors }) => {
    await anchors.anchor(first);
    return gasOf(anchors.anchor(first));
  },
  "ProofAnchor.anchorBatch": ({ anchors }) => gasOf(anchors.anchorBatch(first, 1000)),
  "ProofAnchor.anchorBatch (again)": async ({ anchors }) => {
    await anchors.anchorBatch(first, 1000);
    return gasOf(anchors.anchorBatch(first, 1000));
  },
  "ProofAnchor.verify (call, 1 of 1000)": async ({ anchors }) => {
    const batch = Array.from({ length: 1000 }, (_, i) => noise(32, `hash ${i}`));
    const tree = merkleTree(batch);
    await anchors.anchorBatch(tree.root, tree.size);
    return anchors.verify.estimateGas(batch[0]!, tree.path(0), tree.root);
  },
  ...roles("anchors"),
};

describe("gas", () => {
  const measured: Record<string, number> = {};

  before(async function () {
    // Code that counts what it runs costs more.
    if (hre.globalOptions.coverage) this.skip();
    for (const [name, measure] of Object.entries(measures)) {
      measured[name] = Number(await measure(await loadFixture(deployContracts)));
    }
    if (process.env["UPDATE_GAS_SNAPSHOT"] === "1") {
      writeFileSync(SNAPSHOT, `${JSON.stringify(measured, null, 2)}\n`);
    }
  });

  it("matches the snapshot", () => {
    const snapshot: unknown = existsSync(SNAPSHOT) ? JSON.parse(readFileSync(SNAPSHOT, "utf8")) : {};
    expect(measured, `Gas changed. When that is meant, run ${REWRITE}`).to.deep.equal(snapshot);
  });

  it("covers every function that changes state", async () => {
    const { registry, table, anchors } = await loadFixture(deployContracts);
    const names = Object.entries({ SessionRegistry: registry, EventTable: table, ProofAnchor: anchors }).flatMap(
      ([contract, { interface: abi }]) =>
        abi.fragments
          .filter((fragment) => ethers.FunctionFragment.isFragment(fragment))
          .filter((fragment) => !fragment.constant)
          .map((fragment) => `${contract}.${fragment.name}`),
    );
    const keys = Object.keys(measured).map((key) => key.split(" (")[0]);
    expect(keys).to.include.members(names);
    expect(names).to.have.lengthOf(7 + 2 + 2 + 3 * 8);
  });

  it("of a 425-byte record, of a batch and of a renewal stays below the limits", () => {
    expect(measured["EventTable.insert (425 bytes)"]).to.be.at.most(MAX_INSERT_GAS);
    expect(measured["ProofAnchor.anchorBatch"]).to.be.at.most(MAX_BATCH_GAS);
    expect(measured["SessionRegistry.validate"]).to.be.at.most(MAX_RENEWAL_GAS);
    expect(measured["SessionRegistry.extend"]).to.be.at.most(MAX_RENEWAL_GAS);
  });
});
