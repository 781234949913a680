import { expect } from "chai";
import {
  ADMIN_DELAY,
  type Contracts,
  DEFAULT_ADMIN_ROLE,
  RELAYER_ROLE,
  deployContracts,
  ethers,
  loadFixture,
  time,
} from "./fixtures.ts";

const NAMES = ["registry", "table", "anchors"] as const;

/** An ERC-165 identifier: the selectors of an interface's functions, combined. */
function interfaceId(contract: Contracts[(typeof NAMES)[number]], functions: readonly string[]): string {
  const id = functions.reduce((sum, name) => sum ^ BigInt(contract.getFunction(name as never).fragment.selector), 0n);
  return ethers.toBeHex(id, 4);
}

const FUNCTIONS = {
  registry: [
    ...["enroll", "revoke", "setLifetime", "open", "validate", "extend", "close", "openingDigest", "sessionIdOf"],
    ...["sessionOf", "isLive", "scopeOf", "lifetime", "minimumToExtend"],
  ],
  table: ["set", "insert", "digestOf", "signingDigest"],
  anchors: ["anchor", "anchorBatch", "anchorOf", "verify"],
} as const;

for (const name of NAMES) {
  describe(`the administrator of ${name}`, () => {
    it("is one account", async () => {
      const { [name]: contract, admin, outsider } = await loadFixture(deployContracts);
      expect(await contract.defaultAdmin()).to.equal(admin.address);
      expect(await contract.defaultAdminDelay()).to.equal(ADMIN_DELAY);
      await expect(contract.connect(admin).grantRole(DEFAULT_ADMIN_ROLE, outsider)).to.be.revertedWithCustomError(
        contract,
        "AccessControlEnforcedDefaultAdminRules",
      );
    });

    // Security, administrator key: a transfer of the role waits for the delay, in which it can be cancelled
    it("transfers the role in two steps, with the delay between them", async () => {
      const { [name]: contract, admin, outsider } = await loadFixture(deployContracts);
      await contract.connect(admin).beginDefaultAdminTransfer(outsider);
      const due = BigInt(await time.latest()) + ADMIN_DELAY;
      expect(await contract.defaultAdmin()).to.equal(admin.address);
      expect(await contract.pendingDefaultAdmin()).to.deep.equal([outsider.address, due]);

      await time.setNextBlockTimestamp(due);
      await expect(contract.connect(outsider).acceptDefaultAdminTransfer())
        .to.be.revertedWithCustomError(contract, "AccessControlEnforcedDefaultAdminDelay")
        .withArgs(due);
      await time.setNextBlockTimestamp(due + 1n);
      await contract.connect(outsider).acceptDefaultAdminTransfer();
      expect(await contract.defaultAdmin()).to.equal(outsider.address);
      expect(await contract.hasRole(DEFAULT_ADMIN_ROLE, admin)).to.equal(false);
      await contract.connect(outsider).grantRole(RELAYER_ROLE, outsider);
    });

    it("keeps the role when the new account does not accept, or the transfer is cancelled", async () => {
      const { [name]: contract, admin, relayer, outsider } = await loadFixture(deployContracts);
      await contract.connect(admin).beginDefaultAdminTransfer(outsider);
      await time.increase(ADMIN_DELAY + 1n);
      await expect(contract.connect(relayer).acceptDefaultAdminTransfer())
        .to.be.revertedWithCustomError(contract, "AccessControlInvalidDefaultAdmin")
        .withArgs(relayer);
      await contract.connect(admin).cancelDefaultAdminTransfer();
      await expect(contract.connect(outsider).acceptDefaultAdminTransfer()).to.be.revertedWithCustomError(
        contract,
        "AccessControlInvalidDefaultAdmin",
      );
      expect(await contract.defaultAdmin()).to.equal(admin.address);
    });

    it("cannot renounce the role by accident: that takes the same two steps", async () => {
      const { [name]: contract, admin } = await loadFixture(deployContracts);
      const asAdmin = contract.connect(admin);
      const renounce = () => asAdmin.renounceRole(DEFAULT_ADMIN_ROLE, admin);
      await expect(renounce()).to.be.revertedWithCustomError(contract, "AccessControlEnforcedDefaultAdminDelay");
      await expect(asAdmin.revokeRole(DEFAULT_ADMIN_ROLE, admin)).to.be.revertedWithCustomError(
        contract,
        "AccessControlEnforcedDefaultAdminRules",
      );
      await asAdmin.beginDefaultAdminTransfer(ethers.ZeroAddress);
      await expect(renounce()).to.be.revertedWithCustomError(contract, "AccessControlEnforcedDefaultAdminDelay");
      await time.increase(ADMIN_DELAY + 1n);
      await renounce();
      expect(await contract.defaultAdmin()).to.equal(ethers.ZeroAddress);
    });
  });

  it(`${name} names its interface (ERC-165)`, async () => {
    const { [name]: contract } = await loadFixture(deployContracts);
    expect(await contract.supportsInterface(interfaceId(contract, FUNCTIONS[name]))).to.equal(true);
    expect(await contract.supportsInterface("0x01ffc9a7")).to.equal(true); // ERC-165 itself
    expect(await contract.supportsInterface("0x7965db0b")).to.equal(true); // IAccessControl
    expect(await contract.supportsInterface("0xffffffff")).to.equal(false);
  });
}
