import { expect } from "chai";
import { hexlify, keccak256 } from "ethers";
import fc from "fast-check";
import reference from "keccak256";
import { useFastKeccak } from "../../../server/chain/fast-keccak.ts";

describe("ethers with the fast Keccak", () => {
  before(() => useFastKeccak());

  it("hashes as before", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 600 }), (bytes) => {
        expect(keccak256(bytes)).to.equal(hexlify(reference(Buffer.from(bytes))));
      }),
    );
  });
});
