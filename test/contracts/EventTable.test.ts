import { expect } from "chai";
import { RELAYER_ROLE, DEFAULT_ADMIN_ROLE, deployContracts, ethers, loadFixture, noise } from "./fixtures.ts";

const TABLE = "events";
const ROW = noise(425);

async function withSignature() {
  const contracts = await deployContracts();
  return { ...contracts, signature: await contracts.user.signMessage(ROW) };
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
        await expect(table[write](TABLE, 7, ROW, true, signature))
          .to.emit(table, "RowWritten")
          .withArgs(ethers.id(TABLE), 7, user, TABLE, ethers.hexlify(ROW), true, signature);
        expect(await table.digestOf(TABLE, 7)).to.equal(digest(user.address, true, ROW));
        expect(await table.digestOf(TABLE, 8)).to.equal(ethers.ZeroHash);
        expect(await table.digestOf("other", 7)).to.equal(ethers.ZeroHash);
      });

      it("accepts rows of any length and any identifier, compressed or not", async () => {
        const { table, user } = await loadFixture(withSignature);
        const rowid = ethers.MaxUint256;
        for (const length of [0, 1, 9, 10, 31, 32, 99, 100, 999, 1000, 9999, 10000]) {
          const row = noise(length);
          const tabname = `length ${length}`;
          await table[write](tabname, rowid, row, false, await user.signMessage(row));
          expect(await table.digestOf(tabname, rowid)).to.equal(digest(user.address, false, row));
        }
      });

      it("accepts an upper-case signature", async () => {
        const { table, user, signature } = await loadFixture(withSignature);
        await table[write](TABLE, 0, ROW, true, `0x${signature.slice(2).toUpperCase()}`);
        expect(await table.digestOf(TABLE, 0)).to.equal(digest(user.address, true, ROW));
      });

      it("accepts signatures that end in 1b and in 1c", async () => {
        const { table, user } = await loadFixture(withSignature);
        const ends = new Set<string>();
        for (let rowid = 0; ends.size < 2; rowid++) {
          const row = noise(32, `row ${rowid}`);
          const signature = await user.signMessage(row);
          ends.add(signature.slice(-2));
          await table[write](TABLE, rowid, row, true, signature);
        }
        expect([...ends].sort()).to.deep.equal(["1b", "1c"]);
      });

      it("rejects the signature of an account that is unknown, read-only or revoked", async () => {
        const { table, registry, admin, user, reader, outsider } = await loadFixture(withSignature);
        await registry.connect(admin).revoke(user);
        for (const signer of [outsider, reader, user]) {
          await expect(table[write](TABLE, 7, ROW, true, await signer.signMessage(ROW)))
            .to.be.revertedWithCustomError(table, "SignerNotEnrolled")
            .withArgs(signer);
        }
      });

      it("rejects a signature of another row", async () => {
        const { table, signature } = await loadFixture(withSignature);
        const call = table[write](TABLE, 7, noise(425, "other"), true, signature);
        await expect(call).to.be.revertedWithCustomError(table, "SignerNotEnrolled");
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
          await expect(table[write](TABLE, 7, ROW, true, text))
            .to.be.revertedWithCustomError(table, "InvalidSignature")
            .withArgs(text);
        }
      });

      it("accepts calls of relayers only", async () => {
        const { table, user, signature } = await loadFixture(withSignature);
        await expect(table.connect(user)[write](TABLE, 7, ROW, true, signature))
          .to.be.revertedWithCustomError(table, "AccessControlUnauthorizedAccount")
          .withArgs(user, RELAYER_ROLE);
      });
    });
  }

  describe("an existing row", () => {
    async function withRow() {
      const contracts = await withSignature();
      await contracts.table.insert(TABLE, 7, ROW, true, contracts.signature);
      return contracts;
    }

    it("is rejected by insert", async () => {
      const { table, user, signature } = await loadFixture(withRow);
      const other = noise(100, "other");
      for (const [row, text] of [
        [ROW, signature],
        [other, await user.signMessage(other)],
      ] as const) {
        await expect(table.insert(TABLE, 7, row, true, text))
          .to.be.revertedWithCustomError(table, "RowExists")
          .withArgs(TABLE, 7);
      }
      expect(await table.digestOf(TABLE, 7)).to.equal(digest(user.address, true, ROW));
    });

    it("is overwritten by set", async () => {
      const { table, user } = await loadFixture(withRow);
      const other = noise(100, "other");
      await table.set(TABLE, 7, other, false, await user.signMessage(other));
      expect(await table.digestOf(TABLE, 7)).to.equal(digest(user.address, false, other));
    });

    it("does not block the same identifier in another table", async () => {
      const { table, user, signature } = await loadFixture(withRow);
      await table.insert("other", 7, ROW, true, signature);
      expect(await table.digestOf("other", 7)).to.equal(digest(user.address, true, ROW));
    });
  });
});

function replaceAt(text: string, at: number, by: string): string {
  return text.slice(0, at) + by + text.slice(at + 1);
}
