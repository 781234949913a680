import { BmpString, ObjectIdentifier, OctetString } from "asn1js";
import {
  Attribute,
  AuthenticatedSafe,
  CertBag,
  Certificate,
  PFX,
  PKCS8ShroudedKeyBag,
  PrivateKeyInfo,
  SafeBag,
  SafeContents,
} from "pkijs";

const KEY_BAG = "1.2.840.113549.1.12.10.1.2";
const CERTIFICATE_BAG = "1.2.840.113549.1.12.10.1.3";
const FRIENDLY_NAME = "1.2.840.113549.1.9.20";
const LOCAL_KEY_ID = "1.2.840.113549.1.9.21";
/** Java requires this attribute to trust a certificate without a key; otherwise it treats it as part of a chain. */
const JAVA_TRUSTED_KEY_USAGE = "2.16.840.1.113894.746875.1.1";
const ANY_EXTENDED_KEY_USAGE = "2.5.29.37.0";
const ITERATIONS = 10_000;
/** The safe itself is not encrypted; its secrets are encrypted individually. */
const NO_PRIVACY = 0;
const PASSWORD_INTEGRITY = 0;

/** A key with its certificate chain, from its own certificate to that of its authority. */
export interface KeyWithChain {
  /** PKCS#8, DER. */
  readonly key: Uint8Array;
  /** DER. */
  readonly certificates: readonly Uint8Array[];
}

/** Creates a PKCS#12 file with a key, encrypted with AES-256 under the password, and its certificates. */
export async function keyStore({ key, certificates }: KeyWithChain, password: string): Promise<Uint8Array> {
  const shrouded = new PKCS8ShroudedKeyBag({ parsedValue: PrivateKeyInfo.fromBER(exact(key)) });
  await shrouded.makeInternalValues({
    password: bytesOf(password),
    contentEncryptionAlgorithm: { name: "AES-CBC", length: 256 },
    hmacHashAlgorithm: "SHA-256",
    iterationCount: ITERATIONS,
  });
  const id = new Attribute({ type: LOCAL_KEY_ID, values: [new OctetString({ valueHex: exact(Uint8Array.of(1)) })] });
  const bags = [
    new SafeBag({ bagId: KEY_BAG, bagValue: shrouded, bagAttributes: [id] }),
    ...certificates.map((der, index) => certificateBag(der, index === 0 ? [id] : [])),
  ];
  return pfx(bags, password);
}

/** Creates a PKCS#12 file with the certificates of trusted authorities, in the form that Java reads. */
export function trustStore(authorities: readonly Uint8Array[], password: string): Promise<Uint8Array> {
  const bags = authorities.map((der, index) =>
    certificateBag(der, [
      new Attribute({ type: FRIENDLY_NAME, values: [new BmpString({ value: `authority-${index + 1}` })] }),
      new Attribute({
        type: JAVA_TRUSTED_KEY_USAGE,
        values: [new ObjectIdentifier({ value: ANY_EXTENDED_KEY_USAGE })],
      }),
    ]),
  );
  return pfx(bags, password);
}

function certificateBag(der: Uint8Array, attributes: Attribute[]): SafeBag {
  const bagValue = new CertBag({ parsedValue: Certificate.fromBER(exact(der)) });
  return new SafeBag({
    bagId: CERTIFICATE_BAG,
    bagValue,
    ...(attributes.length === 0 ? {} : { bagAttributes: attributes }),
  });
}

async function pfx(safeBags: SafeBag[], password: string): Promise<Uint8Array> {
  const authenticatedSafe = new AuthenticatedSafe({
    parsedValue: { safeContents: [{ privacyMode: NO_PRIVACY, value: new SafeContents({ safeBags }) }] },
  });
  const file = new PFX({ parsedValue: { integrityMode: PASSWORD_INTEGRITY, authenticatedSafe } });
  await authenticatedSafe.makeInternalValues({ safeContents: [{}] });
  await file.makeInternalValues({
    password: bytesOf(password),
    iterations: ITERATIONS,
    pbkdf2HashAlgorithm: "SHA-256",
    hmacHashAlgorithm: "SHA-256",
  });
  return new Uint8Array(file.toSchema().toBER());
}

function bytesOf(text: string): ArrayBuffer {
  return exact(new TextEncoder().encode(text));
}

/** Copies the bytes into a buffer of the same length. */
function exact(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}
