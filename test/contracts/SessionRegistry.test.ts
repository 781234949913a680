import { expect } from "chai";
import {
  DEFAULT_ADMIN_ROLE,
  LIFETIME,
  MINIMUM_TO_EXTEND,
  REGISTRAR_ROLE,
  RELAYER_ROLE,
  Scope,
  deployContracts,
  deployRegistry,
  ethers,
  loadFixture,
  openSession,
  openingSignature,
  time,
} from "./fixtures.ts";

const [first, second, third] = ["first", "second", "third"].map((name) => ethers.id(name)) as [string, string, string];

async function withSession() {
  const contracts = await deployContracts();
  return { ...contracts, expiresAt: await openSession(contracts, first) };
}

describe("SessionRegistry", () => {
  describe("constructor", () => {
    it("grants the roles and sets the lifetime", async () => {
      const { registry, admin, relayer } = await loadFixture(deployContracts);
      expect(await registry.REGISTRAR_ROLE()).to.equal(REGISTRAR_ROLE);
      expect(await registry.RELAYER_ROLE()).to.equal(RELAYER_ROLE);
      for (const role of [DEFAULT_ADMIN_ROLE, REGISTRAR_ROLE, RELAYER_ROLE]) {
        expect(await registry.hasRole(role, admin)).to.equal(role !== RELAYER_ROLE);
        expect(await registry.hasRole(role, relayer)).to.equal(role === RELAYER_ROLE);
      }
      expect(await registry.lifetime()).to.equal(LIFETIME);
      expect(await registry.minimumToExtend()).to.equal(MINIMUM_TO_EXTEND);
    });

    it("rejects a lifetime in which no session could be extended", async () => {
      const { registry, admin, relayer } = await loadFixture(deployContracts);
      await expect(deployRegistry(admin, relayer, 15n, 15n))
        .to.be.revertedWithCustomError(registry, "InvalidLifetime")
        .withArgs(15, 15);
    });
  });

  describe("enroll", () => {
    it("enrols an account and changes its scope", async () => {
      const { registry, admin, outsider } = await loadFixture(deployContracts);
      expect(await registry.scopeOf(outsider)).to.equal(Scope.None);
      for (const scope of [Scope.Read, Scope.Full, Scope.Full, Scope.Read]) {
        await expect(registry.connect(admin).enroll(outsider, scope))
          .to.emit(registry, "AccountEnrolled")
          .withArgs(outsider, scope);
        expect(await registry.scopeOf(outsider)).to.equal(scope);
      }
    });

    it("keeps the sessions of an account after a change of scope", async () => {
      const { registry, admin, user } = await loadFixture(withSession);
      await registry.connect(admin).enroll(user, Scope.Read);
      expect(await registry.isLive(first)).to.equal(true);
    });

    it("rejects the zero address and the scope None", async () => {
      const { registry, admin, outsider } = await loadFixture(deployContracts);
      await expect(registry.connect(admin).enroll(ethers.ZeroAddress, Scope.Full))
        .to.be.revertedWithCustomError(registry, "InvalidEnrolment")
        .withArgs(ethers.ZeroAddress, Scope.Full);
      await expect(registry.connect(admin).enroll(outsider, Scope.None))
        .to.be.revertedWithCustomError(registry, "InvalidEnrolment")
        .withArgs(outsider, Scope.None);
    });

    it("accepts calls of registrars only", async () => {
      const { registry, relayer, outsider } = await loadFixture(deployContracts);
      await expect(registry.enroll(outsider, Scope.Full))
        .to.be.revertedWithCustomError(registry, "AccessControlUnauthorizedAccount")
        .withArgs(relayer, REGISTRAR_ROLE);
    });
  });

  describe("revoke", () => {
    it("ends all sessions of the account", async () => {
      const { registry, admin, user } = await loadFixture(withSession);
      await expect(registry.connect(admin).revoke(user)).to.emit(registry, "AccountRevoked").withArgs(user);
      expect(await registry.scopeOf(user)).to.equal(Scope.None);
      expect(await registry.isLive(first)).to.equal(false);
      for (const call of [registry.validate(first, second), registry.extend(first, second), registry.close(first)]) {
        await expect(call).to.be.revertedWithCustomError(registry, "AccountNotEnrolled").withArgs(user);
      }
    });

    it("ends them permanently: a new enrolment allows only new sessions", async () => {
      const contracts = await loadFixture(withSession);
      const { registry, admin, user } = contracts;
      await registry.connect(admin).revoke(user);
      await registry.connect(admin).enroll(user, Scope.Full);
      expect(await registry.isLive(first)).to.equal(false);
      await expect(registry.validate(first, second))
        .to.be.revertedWithCustomError(registry, "AccountNotEnrolled")
        .withArgs(user);
      await openSession(contracts, third);
      expect(await registry.isLive(third)).to.equal(true);
    });

    it("keeps the sessions of other accounts", async () => {
      const { registry, admin, reader } = await loadFixture(withSession);
      await registry.connect(admin).revoke(reader);
      expect(await registry.isLive(first)).to.equal(true);
    });

    it("rejects an account that is not enrolled", async () => {
      const { registry, admin, outsider } = await loadFixture(deployContracts);
      await expect(registry.connect(admin).revoke(outsider))
        .to.be.revertedWithCustomError(registry, "AccountNotEnrolled")
        .withArgs(outsider);
    });

    it("accepts calls of registrars only", async () => {
      const { registry, relayer, user } = await loadFixture(deployContracts);
      await expect(registry.revoke(user))
        .to.be.revertedWithCustomError(registry, "AccessControlUnauthorizedAccount")
        .withArgs(relayer, REGISTRAR_ROLE);
    });
  });

  describe("setLifetime", () => {
    it("applies to sessions opened afterwards", async () => {
      const contracts = await loadFixture(withSession);
      const { registry, admin, expiresAt } = contracts;
      await expect(registry.connect(admin).setLifetime(600, 0)).to.emit(registry, "LifetimeChanged").withArgs(600, 0);
      expect(await registry.lifetime()).to.equal(600);
      expect(await registry.minimumToExtend()).to.equal(0);
      expect((await registry.sessionOf(first)).expiresAt).to.equal(expiresAt);
      expect(await openSession(contracts, second)).to.equal(BigInt(await time.latest()) + 600n);
    });

    it("rejects a lifetime of zero, or not greater than the minimum", async () => {
      const { registry, admin } = await loadFixture(deployContracts);
      for (const [lifetime, minimum] of [
        [0, 0],
        [15, 15],
        [15, 16],
      ] as const) {
        await expect(registry.connect(admin).setLifetime(lifetime, minimum))
          .to.be.revertedWithCustomError(registry, "InvalidLifetime")
          .withArgs(lifetime, minimum);
      }
    });

    it("accepts calls of the administrator only", async () => {
      const { registry, relayer } = await loadFixture(deployContracts);
      await expect(registry.setLifetime(600, 0))
        .to.be.revertedWithCustomError(registry, "AccessControlUnauthorizedAccount")
        .withArgs(relayer, DEFAULT_ADMIN_ROLE);
    });
  });

  describe("open", () => {
    it("opens a session with the account's signature", async () => {
      const contracts = await loadFixture(deployContracts);
      const { registry, user } = contracts;
      expect(await registry.isLive(first)).to.equal(false);
      const opening = await registry.open(user, first, await openingSignature(contracts, user, first));
      const expiresAt = BigInt(await time.latest()) + LIFETIME;
      await expect(opening).to.emit(registry, "SessionOpened").withArgs(first, user, expiresAt);
      expect(await registry.sessionOf(first)).to.deep.equal([user.address, expiresAt, false, false]);
      expect(await registry.isLive(first)).to.equal(true);
    });

    it("opens a session for a read-only account", async () => {
      const contracts = await loadFixture(deployContracts);
      const { registry, reader } = contracts;
      await registry.open(reader, first, await openingSignature(contracts, reader, first));
      expect(await registry.isLive(first)).to.equal(true);
    });

    it("rejects an account that is not enrolled or was revoked", async () => {
      const contracts = await loadFixture(deployContracts);
      const { registry, admin, user, outsider } = contracts;
      await registry.connect(admin).revoke(user);
      for (const account of [outsider, user]) {
        await expect(registry.open(account, first, await openingSignature(contracts, account, first)))
          .to.be.revertedWithCustomError(registry, "AccountNotEnrolled")
          .withArgs(account);
      }
    });

    it("rejects another account's signature", async () => {
      const contracts = await loadFixture(deployContracts);
      const { registry, user, reader } = contracts;
      const digest = ethers.getBytes(await registry.openingDigest(user, first));
      await expect(registry.open(user, first, await reader.signMessage(digest)))
        .to.be.revertedWithCustomError(registry, "WrongSigner")
        .withArgs(user, reader);
    });

    it("rejects a signature of another opening", async () => {
      const contracts = await loadFixture(deployContracts);
      const { registry, user } = contracts;
      const other = await deployRegistry(user, user, 60n, 15n);
      const signatures = [
        await openingSignature(contracts, user, second),
        await user.signMessage(ethers.getBytes(await other.openingDigest(user, first))),
        await user.signMessage(ethers.getBytes(first)),
      ];
      for (const signature of signatures) {
        await expect(registry.open(user, first, signature)).to.be.revertedWithCustomError(registry, "WrongSigner");
      }
    });

    it("rejects a malformed signature", async () => {
      const contracts = await loadFixture(deployContracts);
      const { registry, user } = contracts;
      const signature = await openingSignature(contracts, user, first);
      const { r, s, v } = ethers.Signature.from(signature);
      const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
      const highS = ethers.toBeHex(order - BigInt(s), 32);
      for (const malformed of [
        "0x",
        signature.slice(0, -2),
        `${signature}00`,
        ethers.concat([r, s, "0x1d"]),
        ethers.concat([r, highS, ethers.toBeHex(55 - v)]),
      ]) {
        await expect(registry.open(user, first, malformed))
          .to.be.revertedWithCustomError(registry, "WrongSigner")
          .withArgs(user, ethers.ZeroAddress);
      }
    });

    it("rejects the zero hash and every used hash", async () => {
      const contracts = await loadFixture(withSession);
      const { registry, user } = contracts;
      await registry.validate(first, second);
      await registry.close(second);
      await openSession(contracts, third);
      for (const hash of [ethers.ZeroHash, first, second, third]) {
        await expect(registry.open(user, hash, await openingSignature(contracts, user, hash)))
          .to.be.revertedWithCustomError(registry, "TokenHashUsed")
          .withArgs(hash);
      }
    });

    it("accepts calls of relayers only", async () => {
      const contracts = await loadFixture(deployContracts);
      const { registry, user } = contracts;
      await expect(registry.connect(user).open(user, first, await openingSignature(contracts, user, first)))
        .to.be.revertedWithCustomError(registry, "AccessControlUnauthorizedAccount")
        .withArgs(user, RELAYER_ROLE);
    });
  });

  describe("validate", () => {
    it("replaces the token and keeps the expiry", async () => {
      const { registry, user, expiresAt } = await loadFixture(withSession);
      await expect(registry.validate(first, second))
        .to.emit(registry, "SessionValidated")
        .withArgs(first, second, expiresAt);
      expect(await registry.sessionOf(first)).to.deep.equal([user.address, expiresAt, false, true]);
      expect(await registry.sessionOf(second)).to.deep.equal([user.address, expiresAt, true, false]);
      expect(await registry.isLive(first)).to.equal(false);
      expect(await registry.isLive(second)).to.equal(true);
    });

    it("can be repeated", async () => {
      const { registry, user, expiresAt } = await loadFixture(withSession);
      await registry.validate(first, second);
      await registry.validate(second, third);
      expect(await registry.sessionOf(third)).to.deep.equal([user.address, expiresAt, true, false]);
    });
  });

  describe("extend", () => {
    it("replaces the token and sets a new lifetime, once per validation", async () => {
      const { registry, user } = await loadFixture(withSession);
      await registry.validate(first, second);
      await time.increase(20);
      const extension = await registry.extend(second, third);
      const expiresAt = BigInt(await time.latest()) + LIFETIME;
      await expect(extension).to.emit(registry, "SessionExtended").withArgs(second, third, expiresAt);
      expect(await registry.sessionOf(third)).to.deep.equal([user.address, expiresAt, false, false]);
      expect(await registry.isLive(second)).to.equal(false);
      expect(await registry.isLive(third)).to.equal(true);
      await expect(registry.extend(third, ethers.id("fourth")))
        .to.be.revertedWithCustomError(registry, "SessionNotValidated")
        .withArgs(third);
    });

    it("rejects a session without validation", async () => {
      const { registry } = await loadFixture(withSession);
      await expect(registry.extend(first, second))
        .to.be.revertedWithCustomError(registry, "SessionNotValidated")
        .withArgs(first);
      expect(await registry.isLive(first)).to.equal(true);
    });

    it("rejects a session with less than the minimum lifetime left", async () => {
      const { registry, expiresAt } = await loadFixture(withSession);
      await registry.validate(first, second);
      await time.setNextBlockTimestamp(expiresAt - MINIMUM_TO_EXTEND);
      await expect(registry.extend(second, third))
        .to.be.revertedWithCustomError(registry, "TooLateToExtend")
        .withArgs(second, MINIMUM_TO_EXTEND, MINIMUM_TO_EXTEND);
    });

    it("succeeds one second earlier", async () => {
      const { registry, expiresAt } = await loadFixture(withSession);
      await registry.validate(first, second);
      await time.setNextBlockTimestamp(expiresAt - MINIMUM_TO_EXTEND - 1n);
      await registry.extend(second, third);
      expect(await registry.isLive(third)).to.equal(true);
    });
  });

  describe("close", () => {
    // Security, relayer key: can close sessions or replace their tokens, which are useless without the database
    it("ends the session", async () => {
      const { registry, user, expiresAt } = await loadFixture(withSession);
      await expect(registry.close(first)).to.emit(registry, "SessionClosed").withArgs(first);
      expect(await registry.sessionOf(first)).to.deep.equal([user.address, expiresAt, false, true]);
      expect(await registry.isLive(first)).to.equal(false);
    });
  });

  describe("validate, extend and close", () => {
    const actions = ["validate", "extend", "close"] as const;
    type Registry = Awaited<ReturnType<typeof withSession>>["registry"];
    const act = (registry: Registry, action: (typeof actions)[number], tokenHash: string) =>
      action === "close" ? registry.close(tokenHash) : registry[action](tokenHash, third);

    for (const action of actions) {
      it(`${action} rejects a token hash that was never opened`, async () => {
        const { registry } = await loadFixture(withSession);
        await expect(act(registry, action, second))
          .to.be.revertedWithCustomError(registry, "SessionUnknown")
          .withArgs(second);
      });

      it(`${action} rejects a replaced token and a closed session`, async () => {
        const { registry } = await loadFixture(withSession);
        await registry.validate(first, second);
        await registry.close(second);
        for (const hash of [first, second]) {
          await expect(act(registry, action, hash))
            .to.be.revertedWithCustomError(registry, "SessionEnded")
            .withArgs(hash);
        }
      });

      it(`${action} rejects a session from its last second on`, async () => {
        const { registry, expiresAt } = await loadFixture(withSession);
        await time.setNextBlockTimestamp(expiresAt);
        await expect(act(registry, action, first))
          .to.be.revertedWithCustomError(registry, "SessionExpired")
          .withArgs(first, expiresAt);
      });

      it(`${action} accepts calls of relayers only`, async () => {
        const { registry, user } = await loadFixture(withSession);
        await expect(act(registry.connect(user), action, first))
          .to.be.revertedWithCustomError(registry, "AccessControlUnauthorizedAccount")
          .withArgs(user, RELAYER_ROLE);
      });
    }

    for (const action of ["validate", "extend"] as const) {
      it(`${action} rejects a new token hash that is zero or used`, async () => {
        const { registry } = await loadFixture(withSession);
        await registry.validate(first, second);
        for (const hash of [ethers.ZeroHash, first, second]) {
          await expect(registry[action](second, hash))
            .to.be.revertedWithCustomError(registry, "TokenHashUsed")
            .withArgs(hash);
        }
      });
    }
  });

  describe("isLive", () => {
    it("is true until the second before the expiry", async () => {
      const { registry, expiresAt } = await loadFixture(withSession);
      await time.increaseTo(expiresAt - 1n);
      expect(await registry.isLive(first)).to.equal(true);
      await time.increaseTo(expiresAt);
      expect(await registry.isLive(first)).to.equal(false);
    });

    it("is false for an unknown hash", async () => {
      const { registry } = await loadFixture(deployContracts);
      expect(await registry.isLive(first)).to.equal(false);
      expect(await registry.sessionOf(first)).to.deep.equal([ethers.ZeroAddress, 0n, false, false]);
    });
  });

  describe("openingDigest", () => {
    it("contains chain, contract, account and token hash", async () => {
      const { registry, user } = await loadFixture(deployContracts);
      const { chainId } = await ethers.provider.getNetwork();
      const words = ethers.AbiCoder.defaultAbiCoder().encode(
        ["uint256", "address", "address", "bytes32"],
        [chainId, await registry.getAddress(), user.address, first],
      );
      expect(await registry.openingDigest(user, first)).to.equal(ethers.keccak256(words));
    });
  });
});
