import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import type { ContractTransactionResponse } from "ethers";
import hre from "hardhat";
import { merkleTree } from "../../server/journal/integrity/merkle.ts";
import {
  LIFETIME,
  MINIMUM_TO_EXTEND,
  RELAYER_ROLE,
  Scope,
  type Contracts,
  deployContracts,
  ethers,
  loadFixture,
  noise,
  openSession,
  openingSignature,
} from "./fixtures.ts";

const SNAPSHOT = fileURLToPath(new URL("gas-snapshot.json", import.meta.url));
const REWRITE = "UPDATE_GAS_SNAPSHOT=1 npx hardhat test mocha test/contracts/gas.test.ts";

/** What a record and a batch may cost, as whole transactions. */
const MAX_INSERT_GAS = 80_000;
const MAX_BATCH_GAS = 50_000;

const [first, second, third] = ["first", "second", "third"].map((name) => ethers.id(name)) as [string, string, string];
const ROW = noise(425);
// A time in microseconds, as identifiers of records are.
const ROWID = 1_700_000_000_123_456n;

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
  };
}

const measures: Record<string, Measure> = {
  "SessionRegistry (deployment)": async ({ admin, relayer }) =>
    measureDeployment(await ethers.deployContract("SessionRegistry", [admin, relayer, LIFETIME, MINIMUM_TO_EXTEND])),
  "SessionRegistry.enroll": ({ registry, admin, outsider }) =>
    gasOf(registry.connect(admin).enroll(outsider, Scope.Full)),
  "SessionRegistry.revoke": ({ registry, admin, user }) => gasOf(registry.connect(admin).revoke(user)),
  "SessionRegistry.setLifetime": ({ registry, admin }) => gasOf(registry.connect(admin).setLifetime(600, 60)),
  "SessionRegistry.open": async (c) => gasOf(c.registry.open(c.user, first, await openingSignature(c, c.user, first))),
  "SessionRegistry.validate": async (c) => {
    await openSession(c, first);
    return gasOf(c.registry.validate(first, second));
  },
  "SessionRegistry.extend": async (c) => {
    await openSession(c, first);
    await c.registry.validate(first, second);
    return gasOf(c.registry.extend(second, third));
  },
  "SessionRegistry.close": async (c) => {
    await openSession(c, first);
    return gasOf(c.registry.close(first));
  },
  "SessionRegistry.isLive (call)": async (c) => {
    await openSession(c, first);
    return c.registry.isLive.estimateGas(first);
  },
  "SessionRegistry.scopeOf (call)": ({ registry, user }) => registry.scopeOf.estimateGas(user),
  ...roles("registry"),

  "EventTable (deployment)": async ({ registry, admin, relayer }) =>
    measureDeployment(await ethers.deployContract("EventTable", [registry, admin, relayer])),
  "EventTable.insert (425 bytes)": async ({ table, user }) =>
    gasOf(table.insert("events", ROWID, ROW, true, await user.signMessage(ROW))),
  "EventTable.set (425 bytes)": async ({ table, user }) =>
    gasOf(table.set("events", ROWID, ROW, true, await user.signMessage(ROW))),
  "EventTable.set (425 bytes, over another row)": async ({ table, user }) => {
    const before = noise(425, "before");
    await table.set("events", ROWID, before, true, await user.signMessage(before));
    return gasOf(table.set("events", ROWID, ROW, true, await user.signMessage(ROW)));
  },
  "EventTable.digestOf (call)": ({ table }) => table.digestOf.estimateGas("events", ROWID),
  ...roles("table"),

  "ProofAnchor (deployment)": async ({ admin, relayer }) =>
    measureDeployment(await ethers.deployContract("ProofAnchor", [admin, relayer])),
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
    expect(names).to.have.lengthOf(7 + 2 + 2 + 3 * 3);
  });

  it("of a 425-byte record and of a batch stays below the limits", () => {
    expect(measured["EventTable.insert (425 bytes)"]).to.be.at.most(MAX_INSERT_GAS);
    expect(measured["ProofAnchor.anchorBatch"]).to.be.at.most(MAX_BATCH_GAS);
  });
});
