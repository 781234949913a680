import { expect } from "chai";
import {
  ACCEPTED,
  acceptingWithGas,
  ADMIN_DELAY,
  type Contracts,
  DEFAULT_ADMIN_ROLE,
  type PlacedRow,
  RELAYER_ROLE,
  Scope,
  codeReturning,
  deployContracts,
  ethers,
  loadFixture,
  noise,
  rowSignature,
  setCode,
} from "./fixtures.ts";

const TABLE = "events";
const ROW = noise(425);
const PLACED: PlacedRow = [TABLE, 7, ROW, true];

async function withSignature() {
  const contracts = await deployContracts();
  return { ...contracts, signature: await rowSignature(contracts, contracts.user, PLACED) };
}

function digest(signer: string, comp: boolean, rowdata: Uint8Array): string {
  const words = ethers.AbiCoder.defaultAbiCoder().encode(
    ["address", "bool", "bytes32"],
    [signer, comp, ethers.keccak256(rowdata)],
  );
  return ethers.keccak256(words);
}

describe("EventTable", () => {
  it("starts with its registry and roles", async () => {
    const { table, registry, admin, relayer } = await loadFixture(deployContracts);
    expect(await table.registry()).to.equal(await registry.getAddress());
    expect(await table.RELAYER_ROLE()).to.equal(RELAYER_ROLE);
    expect(await table.hasRole(DEFAULT_ADMIN_ROLE, admin)).to.equal(true);
    expect(await table.hasRole(RELAYER_ROLE, relayer)).to.equal(true);
    expect(await table.hasRole(RELAYER_ROLE, admin)).to.equal(false);
  });

  for (const write of ["insert", "set"] as const) {
    describe(write, () => {
      it("logs the row and stores its digest", async () => {
        const { table, user, signature } = await loadFixture(withSignature);
        expect(await table.digestOf(TABLE, 7)).to.equal(ethers.ZeroHash);
        await expect(table[write](...PLACED, signature))
          .to.emit(table, "RowWritten")
          .withArgs(ethers.id(TABLE), 7, user, TABLE, ethers.hexlify(ROW), true, signature, ethers.ZeroHash);
        expect(await table.digestOf(TABLE, 7)).to.equal(digest(user.address, true, ROW));
        expect(await table.digestOf(TABLE, 8)).to.equal(ethers.ZeroHash);
        expect(await table.digestOf("other", 7)).to.equal(ethers.ZeroHash);
      });

      it("accepts rows of any length and any identifier, compressed or not", async () => {
        const contracts = await loadFixture(withSignature);
        const { table, user } = contracts;
        const rowid = ethers.MaxUint256;
        for (const length of [0, 1, 9, 10, 31, 32, 99, 100, 999, 1000, 9999, 10000]) {
          const row = [`length ${length}`, rowid, noise(length), false] as const;
          await table[write](...row, await rowSignature(contracts, user, row));
          expect(await table.digestOf(row[0], rowid)).to.equal(digest(user.address, false, row[2]));
        }
      });

      it("accepts an upper-case signature", async () => {
        const { table, user, signature } = await loadFixture(withSignature);
        await table[write](...PLACED, `0x${signature.slice(2).toUpperCase()}`);
        expect(await table.digestOf(TABLE, 7)).to.equal(digest(user.address, true, ROW));
      });

      it("accepts signatures that end in 1b and in 1c", async () => {
        const contracts = await loadFixture(withSignature);
        const { table, user } = contracts;
        const ends = new Set<string>();
        for (let rowid = 0; ends.size < 2; rowid++) {
          const row = [TABLE, rowid, noise(32, `row ${rowid}`), true] as const;
          const signature = await rowSignature(contracts, user, row);
          ends.add(signature.slice(-2));
          await table[write](...row, signature);
        }
        expect([...ends].sort()).to.deep.equal(["1b", "1c"]);
      });

      it("rejects the signature of an account that is unknown, read-only or revoked", async () => {
        const contracts = await loadFixture(withSignature);
        const { table, registry, admin, user, reader, outsider } = contracts;
        await registry.connect(admin).revoke(user);
        for (const signer of [outsider, reader, user]) {
          await expect(table[write](...PLACED, await rowSignature(contracts, signer, PLACED)))
            .to.be.revertedWithCustomError(table, "SignerNotEnrolled")
            .withArgs(signer);
        }
      });

      // Security, relayer key: a row's signature counts only for its chain, contract, table, row id and data
      it("rejects a signature of any other place or row", async () => {
        const contracts = await loadFixture(withSignature);
        const { table, registry, admin, relayer, user, signature } = contracts;
        const others: PlacedRow[] = [
          ["other", 7, ROW, true],
          [TABLE, 8, ROW, true],
          [TABLE, 7, noise(425, "other"), true],
          [TABLE, 7, ROW, false],
        ];
        for (const row of others) {
          await expect(table[write](...row, signature)).to.be.revertedWithCustomError(table, "SignerNotEnrolled");
        }
        const second = await ethers.deployContract("EventTable", [registry, admin, ADMIN_DELAY, relayer]);
        const call = second.connect(relayer).getFunction(write)(...PLACED, signature);
        await expect(call).to.be.revertedWithCustomError(table, "SignerNotEnrolled");
        // Rows of before were signed over their data alone.
        await expect(table[write](...PLACED, await user.signMessage(ROW))).to.be.revertedWithCustomError(
          table,
          "SignerNotEnrolled",
        );
      });

      describe("signed by a contract (ERC-1271)", () => {
        const OTHER_WORD = ethers.zeroPadBytes("0xffffffff", 32);
        const textOf = (signer: string, data = "0xabcdef"): string => ethers.concat([signer, data]);

        async function withContract() {
          const contracts = await withSignature();
          const { registry, admin, outsider } = contracts;
          await registry.connect(admin).enroll(outsider, Scope.Full);
          await setCode(outsider.address, codeReturning(ACCEPTED));
          return contracts;
        }

        it("logs the contract as the signer", async () => {
          const { table, outsider } = await loadFixture(withContract);
          const text = textOf(outsider.address);
          await expect(table[write](...PLACED, text))
            .to.emit(table, "RowWritten")
            .withArgs(ethers.id(TABLE), 7, outsider, TABLE, ethers.hexlify(ROW), true, text, ethers.ZeroHash);
          expect(await table.digestOf(TABLE, 7)).to.equal(digest(outsider.address, true, ROW));
        });

        it("accepts signatures of any length but 45 bytes, and upper-case text", async () => {
          const { table, outsider } = await loadFixture(withContract);
          for (const [rowid, length] of [0, 1, 12, 44, 46, 65, 130, 500].entries()) {
            const text = textOf(outsider.address, ethers.hexlify(noise(length)));
            await table[write](TABLE, rowid, ROW, true, `0x${text.slice(2).toUpperCase()}`);
            expect(await table.digestOf(TABLE, rowid)).to.equal(digest(outsider.address, true, ROW));
          }
          const text = textOf(outsider.address, ethers.hexlify(noise(45)));
          await expect(table[write]("other", 7, ROW, true, text)).to.be.revertedWithCustomError(
            table,
            "InvalidSignature",
          );
        });

        it("rejects a contract that does not accept, or has no code", async () => {
          const { table, outsider } = await loadFixture(withContract);
          // Returns another word, reverts, returns nothing, has no code.
          for (const code of [codeReturning(OTHER_WORD), "0x60006000fd", "0x00", "0x"]) {
            await setCode(outsider.address, code);
            const text = textOf(outsider.address);
            await expect(table[write](...PLACED, text))
              .to.be.revertedWithCustomError(table, "InvalidSignature")
              .withArgs(text);
          }
        });

        it("gives the contract 500,000 gas, however much the transaction has", async () => {
          const { table, outsider } = await loadFixture(withContract);
          await setCode(outsider.address, acceptingWithGas(500_000));
          await table[write](...PLACED, textOf(outsider.address), { gasLimit: 5_000_000 });
          expect(await table.digestOf(TABLE, 7)).to.equal(digest(outsider.address, true, ROW));
        });

        it("does not call a contract that is not enrolled for everything", async () => {
          const { table, registry, admin, user, outsider } = await loadFixture(withContract);
          await setCode(user.address, "0xfe"); // would consume all gas
          await registry.connect(admin).revoke(user);
          await registry.connect(admin).enroll(outsider, Scope.Read);
          for (const { address } of [user, outsider]) {
            await expect(table[write](...PLACED, textOf(address)))
              .to.be.revertedWithCustomError(table, "SignerNotEnrolled")
              .withArgs(address);
          }
        });

        it("accepts the key of an account that has code as well", async () => {
          const { table, user, signature } = await loadFixture(withContract);
          await setCode(user.address, codeReturning(OTHER_WORD));
          await table[write](...PLACED, signature);
          expect(await table.digestOf(TABLE, 7)).to.equal(digest(user.address, true, ROW));
        });

        it("rejects text that is not hex", async () => {
          const { table, outsider } = await loadFixture(withContract);
          const text = textOf(outsider.address);
          for (const refused of [
            `${text}0`,
            `${text}0g`,
            `0X${text.slice(2)}`,
            replaceAt(text, 5, "g"),
            text.slice(2),
          ]) {
            await expect(table[write](...PLACED, refused))
              .to.be.revertedWithCustomError(table, "InvalidSignature")
              .withArgs(refused);
          }
        });
      });

      it("rejects text that is no signature", async () => {
        const { table, signature } = await loadFixture(withSignature);
        const { r, s, v } = ethers.Signature.from(signature);
        const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
        const refused = [
          "",
          "0x",
          signature.slice(2),
          signature.slice(0, -1),
          `${signature}0`,
          `0X${signature.slice(2)}`,
          `  ${signature.slice(2)}`,
          ...[2, 33, 34, 65, 66, 97, 98, 129, 130, 131].map((at) => replaceAt(signature, at, "g")),
          ethers.concat([r, s, "0x00"]),
          ethers.concat([r, s, "0x1a"]),
          ethers.concat([r, s, "0x1d"]),
          ethers.concat([r, ethers.toBeHex(order - BigInt(s), 32), ethers.toBeHex(55 - v)]),
          ethers.concat([ethers.ZeroHash, s, "0x1b"]),
          ethers.concat([r, ethers.ZeroHash, "0x1b"]),
        ];
        for (const text of refused) {
          await expect(table[write](...PLACED, text))
            .to.be.revertedWithCustomError(table, "InvalidSignature")
            .withArgs(text);
        }
      });

      it("accepts calls of relayers only", async () => {
        const { table, user, signature } = await loadFixture(withSignature);
        await expect(table.connect(user)[write](...PLACED, signature))
          .to.be.revertedWithCustomError(table, "AccessControlUnauthorizedAccount")
          .withArgs(user, RELAYER_ROLE);
      });
    });
  }

  describe("an existing row", () => {
    const OTHER: PlacedRow = [TABLE, 7, noise(100, "other"), false];

    async function withRow() {
      const contracts = await withSignature();
      await contracts.table.insert(...PLACED, contracts.signature);
      return contracts;
    }

    const signed = (contracts: Contracts, row: PlacedRow) => rowSignature(contracts, contracts.user, row);

    it("is rejected by insert", async () => {
      const contracts = await loadFixture(withRow);
      const { table, user } = contracts;
      for (const row of [PLACED, OTHER]) {
        await expect(table.insert(...row, await signed(contracts, row)))
          .to.be.revertedWithCustomError(table, "RowExists")
          .withArgs(TABLE, 7);
      }
      expect(await table.digestOf(TABLE, 7)).to.equal(digest(user.address, true, ROW));
    });

    it("is overwritten by set, whose event has the digest of the replaced row", async () => {
      const contracts = await loadFixture(withRow);
      const { table, user } = contracts;
      const signature = await signed(contracts, OTHER);
      const replaced = digest(user.address, true, ROW);
      await expect(table.set(...OTHER, signature))
        .to.emit(table, "RowWritten")
        .withArgs(ethers.id(TABLE), 7, user, TABLE, ethers.hexlify(OTHER[2]), false, signature, replaced);
      expect(await table.digestOf(TABLE, 7)).to.equal(digest(user.address, false, OTHER[2]));
    });

    it("does not block the same identifier in another table", async () => {
      const contracts = await loadFixture(withRow);
      const { table, user } = contracts;
      const row: PlacedRow = ["other", 7, ROW, true];
      await table.insert(...row, await signed(contracts, row));
      expect(await table.digestOf("other", 7)).to.equal(digest(user.address, true, ROW));
    });
  });

  describe("signingDigest", () => {
    it("contains chain, contract, table, row id, compression and data", async () => {
      const { table } = await loadFixture(deployContracts);
      const { chainId } = await ethers.provider.getNetwork();
      const words = ethers.AbiCoder.defaultAbiCoder().encode(
        ["uint256", "address", "bytes32", "uint256", "bool", "bytes32"],
        [chainId, await table.getAddress(), ethers.id(TABLE), 7, true, ethers.keccak256(ROW)],
      );
      expect(await table.signingDigest(...PLACED)).to.equal(ethers.keccak256(words));
    });
  });
});

function replaceAt(text: string, at: number, by: string): string {
  return text.slice(0, at) + by + text.slice(at + 1);
}
