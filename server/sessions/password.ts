import { randomInt } from "node:crypto";

// No letters or digits that are taken for one another: passwords are copied by hand.
const ALPHABET = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";
const LENGTH = 20;

/** A password of about 116 bits. */
export function generatePassword(): string {
  return Array.from({ length: LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join("");
}
