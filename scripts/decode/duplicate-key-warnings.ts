import { duplicateKeys } from "../../server/kit/duplicate-keys.ts";
import { payloadText } from "../../server/records/payload-text.ts";

/** Maximum number of warnings: each has the path of a key. */
const MAX_WARNINGS = 10;

/** Returns a warning for each key that appears again in a payload: programs differ in which of the values they use. */
export function duplicateKeyWarnings(payloadBase64: string): string[] {
  const warnings: string[] = [];
  for (const path of duplicateKeys(payloadText(payloadBase64))) {
    if (warnings.length === MAX_WARNINGS) break;
    warnings.push(`${["payload", ...path].join(".")}: the key appears twice; the last value is shown`);
  }
  return warnings;
}
