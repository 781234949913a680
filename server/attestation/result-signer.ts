import { compactVerify, createLocalJWKSet, errors } from "jose";
import { SealbookError } from "../errors.ts";
import type { ResultSigner } from "../recovery/index.ts";
import type { Issuer } from "./issuer.ts";
import { RESULT_TYPE, signedText } from "./jws.ts";
import { statementJwk, statementKeyId } from "./statement-key.ts";

/**
 * Signs the results of comparisons with the issuer's statement key.
 * @param assertIntact Throws SealbookError `journal_damaged` while a divergence of the journal's history is open
 */
export function resultSigner(issuer: Issuer, assertIntact: () => void): ResultSigner {
  return {
    async sign(text) {
      try {
        assertIntact();
        const { statementKey } = await issuer.signer();
        return await signedText(text, statementKey, RESULT_TYPE);
      } catch (error) {
        // The comparison has its result all the same; it gets no statement.
        if (error instanceof SealbookError) return undefined;
        throw error;
      }
    },

    async isSigned(jws, text) {
      const keys = (await issuer.keys()).map(({ statementKey }) => ({
        ...statementJwk(statementKey),
        kid: statementKeyId(statementKey),
        alg: "ES256",
      }));
      try {
        const { payload, protectedHeader } = await compactVerify(jws, createLocalJWKSet({ keys }));
        return protectedHeader.typ === RESULT_TYPE && Buffer.from(payload).toString() === text;
      } catch (error) {
        if (error instanceof errors.JOSEError) return false;
        throw error;
      }
    },
  };
}
