import { expect } from "chai";
import {
  ACCEPTED,
  DEFAULT_ADMIN_ROLE,
  LIFETIME,
  MINIMUM_TO_EXTEND,
  NO_DEADLINE,
  REGISTRAR_ROLE,
  RELAYER_ROLE,
  Scope,
  codeReturning,
  deployContracts,
  deployRegistry,
  ethers,
  loadFixture,
  openSession,
  openingSignature,
  sessionIdOf,
  setCode,
  time,
} from "./fixtures.ts";

const [first, second, third] = ["first", "second", "third"].map((name) => ethers.id(name)) as [string, string, string];

async function withSession() {
  const contracts = await deployContracts();
  return { ...contracts, ...(await openSession(contracts, first)) };
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
      const { registry, admin, user, session } = await loadFixture(withSession);
      await registry.connect(admin).enroll(user, Scope.Read);
      expect(await registry.isLive(session, first)).to.equal(true);
    });

    it("rejects the zero address, and a scope without rights", async () => {
      const { registry, admin, outsider } = await loadFixture(deployContracts);
      await expect(registry.connect(admin).enroll(ethers.ZeroAddress, Scope.Full))
        .to.be.revertedWithCustomError(registry, "InvalidEnrolment")
        .withArgs(ethers.ZeroAddress, Scope.Full);
      for (const scope of [Scope.None, Scope.Revoked]) {
        await expect(registry.connect(admin).enroll(outsider, scope))
          .to.be.revertedWithCustomError(registry, "InvalidEnrolment")
          .withArgs(outsider, scope);
      }
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
      const { registry, admin, user, session } = await loadFixture(withSession);
      await expect(registry.connect(admin).revoke(user)).to.emit(registry, "AccountRevoked").withArgs(user);
      expect(await registry.scopeOf(user)).to.equal(Scope.Revoked);
      expect(await registry.isLive(session, first)).to.equal(false);
      const { validate, extend, close } = registry;
      for (const call of [validate(session, first, second), extend(session, first, second), close(session, first)]) {
        await expect(call).to.be.revertedWithCustomError(registry, "AccountNotEnrolled").withArgs(user);
      }
    });

    // Security, relayer key: cannot use later what an account signed before its revocation
    it("is final: the account is never enrolled again", async () => {
      const { registry, admin, user, session } = await loadFixture(withSession);
      await registry.connect(admin).revoke(user);
      for (const scope of [Scope.Read, Scope.Full]) {
        await expect(registry.connect(admin).enroll(user, scope))
          .to.be.revertedWithCustomError(registry, "AccountWasRevoked")
          .withArgs(user);
      }
      await expect(registry.connect(admin).revoke(user))
        .to.be.revertedWithCustomError(registry, "AccountNotEnrolled")
        .withArgs(user);
      expect(await registry.scopeOf(user)).to.equal(Scope.Revoked);
      expect(await registry.isLive(session, first)).to.equal(false);
    });

    it("keeps the sessions of other accounts", async () => {
      const { registry, admin, reader, session } = await loadFixture(withSession);
      await registry.connect(admin).revoke(reader);
      expect(await registry.isLive(session, first)).to.equal(true);
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
      const { registry, admin, session, expiresAt } = contracts;
      await expect(registry.connect(admin).setLifetime(600, 0)).to.emit(registry, "LifetimeChanged").withArgs(600, 0);
      expect(await registry.lifetime()).to.equal(600);
      expect(await registry.minimumToExtend()).to.equal(0);
      expect((await registry.sessionOf(session)).expiresAt).to.equal(expiresAt);
      const later = await openSession(contracts, second);
      expect(later.expiresAt).to.equal(BigInt(await time.latest()) + 600n);
    });

    it("accepts a lifetime of a day", async () => {
      const { registry, admin } = await loadFixture(deployContracts);
      expect(await registry.MAX_LIFETIME()).to.equal(86_400);
      await registry.connect(admin).setLifetime(86_400, 86_399);
      expect(await registry.lifetime()).to.equal(86_400);
    });

    it("rejects a lifetime of zero, not greater than the minimum, or longer than a day", async () => {
      const { registry, admin } = await loadFixture(deployContracts);
      for (const [lifetime, minimum] of [
        [0, 0],
        [15, 15],
        [15, 16],
        [86_401, 15],
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
      const session = await registry.sessionIdOf(user, first);
      expect(await registry.isLive(session, first)).to.equal(false);
      const opening = await registry.open(user, first, NO_DEADLINE, await openingSignature(contracts, user, first));
      const expiresAt = BigInt(await time.latest()) + LIFETIME;
      await expect(opening).to.emit(registry, "SessionOpened").withArgs(session, user, first, expiresAt);
      expect(await registry.sessionOf(session)).to.deep.equal([user.address, expiresAt, false, false]);
      expect(await registry.isLive(session, first)).to.equal(true);
    });

    it("opens several sessions of an account beside each other", async () => {
      const contracts = await loadFixture(withSession);
      const { registry, session } = contracts;
      const other = await openSession(contracts, second);
      expect(await registry.isLive(session, first)).to.equal(true);
      expect(await registry.isLive(other.session, second)).to.equal(true);
      expect(await registry.isLive(session, second)).to.equal(false);
    });

    it("opens a session for a read-only account", async () => {
      const contracts = await loadFixture(deployContracts);
      const { registry, reader } = contracts;
      await registry.open(reader, first, NO_DEADLINE, await openingSignature(contracts, reader, first));
      expect(await registry.isLive(sessionIdOf(reader, first), first)).to.equal(true);
    });

    it("counts until the deadline that the account signed", async () => {
      const contracts = await loadFixture(deployContracts);
      const { registry, user } = contracts;
      const deadline = BigInt(await time.latest()) + 100n;
      const signatureOf = (hash: string) => openingSignature(contracts, user, hash, deadline);
      await time.setNextBlockTimestamp(deadline);
      await registry.open(user, first, deadline, await signatureOf(first));
      await time.setNextBlockTimestamp(deadline + 1n);
      await expect(registry.open(user, second, deadline, await signatureOf(second)))
        .to.be.revertedWithCustomError(registry, "OpeningExpired")
        .withArgs(deadline);
    });

    it("accepts a contract's signature (ERC-1271) for its account", async () => {
      const { registry, admin, outsider } = await loadFixture(deployContracts);
      await registry.connect(admin).enroll(outsider, Scope.Read);
      await expect(registry.open(outsider, first, NO_DEADLINE, "0x1234"))
        .to.be.revertedWithCustomError(registry, "WrongSigner")
        .withArgs(outsider, ethers.ZeroAddress);
      await setCode(outsider.address, codeReturning(ACCEPTED));
      await registry.open(outsider, first, NO_DEADLINE, "0x1234");
      expect(await registry.isLive(sessionIdOf(outsider, first), first)).to.equal(true);
    });

    it("rejects an account that is not enrolled or was revoked", async () => {
      const contracts = await loadFixture(deployContracts);
      const { registry, admin, user, outsider } = contracts;
      await registry.connect(admin).revoke(user);
      for (const account of [outsider, user]) {
        await expect(registry.open(account, first, NO_DEADLINE, await openingSignature(contracts, account, first)))
          .to.be.revertedWithCustomError(registry, "AccountNotEnrolled")
          .withArgs(account);
      }
    });

    it("rejects another account's signature", async () => {
      const contracts = await loadFixture(deployContracts);
      const { registry, user, reader } = contracts;
      const digest = ethers.getBytes(await registry.openingDigest(user, first, NO_DEADLINE));
      await expect(registry.open(user, first, NO_DEADLINE, await reader.signMessage(digest)))
        .to.be.revertedWithCustomError(registry, "WrongSigner")
        .withArgs(user, reader);
    });

    it("rejects a signature of another opening", async () => {
      const contracts = await loadFixture(deployContracts);
      const { registry, user } = contracts;
      const other = await deployRegistry(user, user, 60n, 15n);
      const signatures = [
        await openingSignature(contracts, user, second),
        await openingSignature(contracts, user, first, NO_DEADLINE - 1n),
        await openingSignature({ registry: other }, user, first),
        await user.signMessage(ethers.getBytes(first)),
      ];
      for (const signature of signatures) {
        await expect(registry.open(user, first, NO_DEADLINE, signature)).to.be.revertedWithCustomError(
          registry,
          "WrongSigner",
        );
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
        await expect(registry.open(user, first, NO_DEADLINE, malformed))
          .to.be.revertedWithCustomError(registry, "WrongSigner")
          .withArgs(user, ethers.ZeroAddress);
      }
    });

    it("rejects the zero hash, and every hash that opened a session of the account", async () => {
      const contracts = await loadFixture(withSession);
      const { registry, user, session } = contracts;
      const closed = await openSession(contracts, second);
      await registry.close(closed.session, second);
      await registry.validate(session, first, third);
      for (const hash of [ethers.ZeroHash, first, second]) {
        await expect(registry.open(user, hash, NO_DEADLINE, await openingSignature(contracts, user, hash)))
          .to.be.revertedWithCustomError(registry, "TokenHashUsed")
          .withArgs(hash);
      }
    });

    it("accepts calls of relayers only", async () => {
      const contracts = await loadFixture(deployContracts);
      const { registry, user } = contracts;
      const signature = await openingSignature(contracts, user, first);
      await expect(registry.connect(user).open(user, first, NO_DEADLINE, signature))
        .to.be.revertedWithCustomError(registry, "AccessControlUnauthorizedAccount")
        .withArgs(user, RELAYER_ROLE);
    });
  });

  describe("validate", () => {
    it("replaces the token and keeps the expiry", async () => {
      const { registry, user, session, expiresAt } = await loadFixture(withSession);
      await expect(registry.validate(session, first, second))
        .to.emit(registry, "SessionValidated")
        .withArgs(session, second, expiresAt);
      expect(await registry.sessionOf(session)).to.deep.equal([user.address, expiresAt, true, false]);
      expect(await registry.isLive(session, first)).to.equal(false);
      expect(await registry.isLive(session, second)).to.equal(true);
    });

    it("can be repeated", async () => {
      const { registry, user, session, expiresAt } = await loadFixture(withSession);
      await registry.validate(session, first, second);
      await registry.validate(session, second, third);
      expect(await registry.sessionOf(session)).to.deep.equal([user.address, expiresAt, true, false]);
      expect(await registry.isLive(session, third)).to.equal(true);
    });
  });

  describe("extend", () => {
    it("replaces the token and sets a new lifetime, once per validation", async () => {
      const { registry, user, session } = await loadFixture(withSession);
      await registry.validate(session, first, second);
      await time.increase(20);
      const extension = await registry.extend(session, second, third);
      const expiresAt = BigInt(await time.latest()) + LIFETIME;
      await expect(extension).to.emit(registry, "SessionExtended").withArgs(session, third, expiresAt);
      expect(await registry.sessionOf(session)).to.deep.equal([user.address, expiresAt, false, false]);
      expect(await registry.isLive(session, second)).to.equal(false);
      expect(await registry.isLive(session, third)).to.equal(true);
      await expect(registry.extend(session, third, ethers.id("fourth")))
        .to.be.revertedWithCustomError(registry, "SessionNotValidated")
        .withArgs(session);
    });

    it("rejects a session without validation", async () => {
      const { registry, session } = await loadFixture(withSession);
      await expect(registry.extend(session, first, second))
        .to.be.revertedWithCustomError(registry, "SessionNotValidated")
        .withArgs(session);
      expect(await registry.isLive(session, first)).to.equal(true);
    });

    it("rejects a session with less than the minimum lifetime left", async () => {
      const { registry, session, expiresAt } = await loadFixture(withSession);
      await registry.validate(session, first, second);
      await time.setNextBlockTimestamp(expiresAt - MINIMUM_TO_EXTEND);
      await expect(registry.extend(session, second, third))
        .to.be.revertedWithCustomError(registry, "TooLateToExtend")
        .withArgs(session, MINIMUM_TO_EXTEND, MINIMUM_TO_EXTEND);
    });

    it("succeeds one second earlier", async () => {
      const { registry, session, expiresAt } = await loadFixture(withSession);
      await registry.validate(session, first, second);
      await time.setNextBlockTimestamp(expiresAt - MINIMUM_TO_EXTEND - 1n);
      await registry.extend(session, second, third);
      expect(await registry.isLive(session, third)).to.equal(true);
    });
  });

  describe("close", () => {
    // Security, relayer key: can close sessions or replace their tokens, which are useless without the database
    it("ends the session", async () => {
      const { registry, user, session, expiresAt } = await loadFixture(withSession);
      await expect(registry.close(session, first)).to.emit(registry, "SessionClosed").withArgs(session);
      expect(await registry.sessionOf(session)).to.deep.equal([user.address, expiresAt, false, true]);
      expect(await registry.isLive(session, first)).to.equal(false);
    });
  });

  describe("validate, extend and close", () => {
    const actions = ["validate", "extend", "close"] as const;
    type Registry = Awaited<ReturnType<typeof withSession>>["registry"];
    const act = (registry: Registry, action: (typeof actions)[number], session: string, tokenHash: string) =>
      action === "close" ? registry.close(session, tokenHash) : registry[action](session, tokenHash, third);

    for (const action of actions) {
      it(`${action} rejects a session that was never opened`, async () => {
        const { registry, user } = await loadFixture(withSession);
        const unknown = sessionIdOf(user, second);
        await expect(act(registry, action, unknown, second))
          .to.be.revertedWithCustomError(registry, "SessionUnknown")
          .withArgs(unknown);
      });

      it(`${action} rejects a replaced token`, async () => {
        const { registry, session } = await loadFixture(withSession);
        await registry.validate(session, first, second);
        await expect(act(registry, action, session, first))
          .to.be.revertedWithCustomError(registry, "TokenReplaced")
          .withArgs(session, first);
      });

      it(`${action} rejects a closed session`, async () => {
        const { registry, session } = await loadFixture(withSession);
        await registry.close(session, first);
        await expect(act(registry, action, session, first))
          .to.be.revertedWithCustomError(registry, "SessionEnded")
          .withArgs(session);
      });

      it(`${action} rejects a session from its last second on`, async () => {
        const { registry, session, expiresAt } = await loadFixture(withSession);
        await time.setNextBlockTimestamp(expiresAt);
        await expect(act(registry, action, session, first))
          .to.be.revertedWithCustomError(registry, "SessionExpired")
          .withArgs(session, expiresAt);
      });

      it(`${action} accepts calls of relayers only`, async () => {
        const { registry, user, session } = await loadFixture(withSession);
        await expect(act(registry.connect(user), action, session, first))
          .to.be.revertedWithCustomError(registry, "AccessControlUnauthorizedAccount")
          .withArgs(user, RELAYER_ROLE);
      });
    }

    for (const action of ["validate", "extend"] as const) {
      it(`${action} rejects a new token hash that is zero or the current one`, async () => {
        const { registry, session } = await loadFixture(withSession);
        await registry.validate(session, first, second);
        for (const hash of [ethers.ZeroHash, second]) {
          await expect(registry[action](session, second, hash))
            .to.be.revertedWithCustomError(registry, "TokenHashUsed")
            .withArgs(hash);
        }
      });
    }
  });

  describe("isLive", () => {
    it("is true until the second before the expiry", async () => {
      const { registry, session, expiresAt } = await loadFixture(withSession);
      await time.increaseTo(expiresAt - 1n);
      expect(await registry.isLive(session, first)).to.equal(true);
      await time.increaseTo(expiresAt);
      expect(await registry.isLive(session, first)).to.equal(false);
    });

    it("is false for an unknown session and for another token", async () => {
      const { registry, user, session } = await loadFixture(withSession);
      const unknown = sessionIdOf(user, second);
      expect(await registry.isLive(unknown, second)).to.equal(false);
      expect(await registry.isLive(unknown, ethers.ZeroHash)).to.equal(false);
      expect(await registry.sessionOf(unknown)).to.deep.equal([ethers.ZeroAddress, 0n, false, false]);
      expect(await registry.isLive(session, second)).to.equal(false);
    });
  });

  describe("openingDigest", () => {
    it("contains chain, contract, account, token hash and deadline", async () => {
      const { registry, user } = await loadFixture(deployContracts);
      const { chainId } = await ethers.provider.getNetwork();
      const words = ethers.AbiCoder.defaultAbiCoder().encode(
        ["uint256", "address", "address", "bytes32", "uint64"],
        [chainId, await registry.getAddress(), user.address, first, 7],
      );
      expect(await registry.openingDigest(user, first, 7)).to.equal(ethers.keccak256(words));
    });
  });

  it("has identifiers of the account and the start of the first token hash", async () => {
    const { registry, user } = await loadFixture(deployContracts);
    expect(await registry.sessionIdOf(user, first)).to.equal(sessionIdOf(user, first));
  });
});
