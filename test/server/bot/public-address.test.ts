import { assert } from "chai";
import fc from "fast-check";
import { isPublicAddress } from "../../../server/bot/sensor-source.ts";

const octet = fc.nat(255);
const dotted = (...octets: readonly number[]): string => octets.join(".");
const groups = fc.array(fc.nat(0xffff), { minLength: 7, maxLength: 7 });
const hex = (group: number): string => group.toString(16);

describe("a public address of a sensor", function () {
  for (const address of [
    "8.8.8.8",
    "1.1.1.1",
    "93.184.216.34",
    "100.63.255.255",
    "172.15.0.1",
    "172.32.0.1",
    "2606:4700:4700::1111",
    "2a00:1450:4001::1",
  ]) {
    it(`${address} is allowed`, () => assert.isTrue(isPublicAddress(address)));
  }

  for (const address of [
    "0.0.0.0",
    "100.64.0.1",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.2.1",
    "198.18.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::ffff:8.8.8.8",
    "::ffff:7f00:1",
    "64:ff9b::7f00:1",
    "2002:7f00:1::",
    "2001:db8::1",
    "2001::1",
    "fe80::1%lo",
    "ff02::1",
  ]) {
    it(`${address} is rejected`, () => assert.isFalse(isPublicAddress(address)));
  }

  it("excludes loopback, private and link-local networks", () => {
    fc.assert(
      fc.property(octet, octet, octet, fc.integer({ min: 16, max: 31 }), (a, b, c, d) => {
        for (const address of [
          dotted(127, a, b, c),
          dotted(10, a, b, c),
          dotted(192, 168, a, b),
          dotted(169, 254, a, b),
          dotted(172, d, a, b),
          dotted(0, a, b, c),
        ]) {
          assert.isFalse(isPublicAddress(address), address);
          assert.isFalse(isPublicAddress(`::ffff:${address}`), address);
        }
      }),
    );
  });

  it("excludes IPv6 outside of 2000::/3", () => {
    fc.assert(
      fc.property(
        fc.nat(0xffff).filter((first) => first >> 13 !== 1),
        groups,
        (first, rest) => {
          assert.isFalse(isPublicAddress([first, ...rest].map(hex).join(":")));
        },
      ),
    );
  });

  it("is recognised in every notation", () => {
    fc.assert(
      fc.property(octet, octet, octet, octet, (a, b, c, d) => {
        const number = ((a * 256 + b) * 256 + c) * 256 + d;
        // What a browser makes of an address that is written as one number.
        assert.equal(isPublicAddress(new URL(`http://${number}/`).hostname), isPublicAddress(dotted(a, b, c, d)));
      }),
    );
  });
});
