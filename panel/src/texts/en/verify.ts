import type { Step } from "../../../../verifier/verify.mjs";

/** A step of the verifier, in words. */
export interface StepText {
  readonly title: string;
  readonly proves: string;
  readonly assumes: string;
  /** Why it failed; empty when it passed. */
  readonly reason: string;
}

/** Makes a sentence, without what is for the command line and the verifier's word for any failure of a node. */
function sentence(reason: string): string {
  const text = reason.replace(/ \(on the command line: [^)]*\)/, "").replace(/^unreadable: /, "");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

export const verify = {
  title: "Verify",
  tabTitle: "Proofs",
  about: "Find out whether files are what was recorded. Your browser reads them and sends their hashes only.",
  aboutWithNames: "Verify files and record them. Your browser reads them and sends their hashes and names only.",
  aboutOffline: "Find out whether files are what was recorded. This page sends nothing and works offline.",
  drop: {
    title: "Drop files or folders here, or choose files",
    more: "Add more files",
    hint:
      "Up to 10,000 files of any size, with their bundles (.bundle.json) or signed statements (PDF, .jws), in any " +
      "order.",
    folder: "Choose a folder",
    truncated: "Only the first 10,000 files were taken",
  },
  paste: {
    title: "Paste a hash instead",
    label: "SHA-256 of a file, one per line, or the text of a bundle",
    button: "Verify",
    unreadable: "This is neither a list of SHA-256 hashes (64 hexadecimal digits each) nor a bundle.",
  },
  trust: {
    title: "What you trust",
    about:
      "A bundle is worth as much as what you compare it with. Take keys and validators from a source other than the " +
      "bundle.",
    server: "Without a key and validators, the chain as this server shows it is trusted.",
    key: "Id of the issuer's key",
    keyHint: "43 characters.",
    keyInvalid: "The id of a key has 43 characters: letters, digits, - and _.",
    validators: "Addresses of the chain's validators at that block, one per line",
    validatorsInvalid: "One of these is not the address of a validator: 0x and 40 hexadecimal digits.",
    button: "Verify again",
  },
  hashing: {
    title: "Reading the files",
    files: (done: string, all: string) => `${done} of ${all} files`,
    left: (time: string) => `${time} left`,
    cancel: "Cancel",
  },
  checking: (done: string) => `Verifying… ${done} done`,
  waiting: "Waiting for the server, which limits how often the chain is read. This goes on by itself.",
  stop: "Stop",
  done: (count: number) => `Finished: ${count}`,
  clear: "Start again",
  kinds: {
    verified: "Verified",
    not_verified: "Not verified",
    undetermined: "Cannot be said",
    recorded: "Recorded, according to this server",
    not_recorded: "Not recorded, according to this server",
    unreadable: "Not readable",
  },
  kindsShort: {
    verified: "Verified",
    not_verified: "Not verified",
    undetermined: "Cannot be said",
    recorded: "Recorded",
    not_recorded: "Not recorded",
    unreadable: "Not readable",
  },
  all: "All",
  show: "Show",
  results: "Results",
  table: "Verdicts",
  statementIn: (name: string) => `Signed statement in ${name}`,
  shownOf: (shown: string, all: string) => `${shown} of ${all} shown`,
  columns: { name: "Name", verdict: "Verdict", time: "Time", trusted: "What is trusted" },
  recordedAs: (name: string) => `recorded as ${name}`,
  showMore: (count: string) => `Show ${count} more`,
  csv: "Save as CSV",
  print: "Print",
  trusted: {
    validators: "The validators you named",
    chain: "The chain as this server shows it",
    key: "The issuer's key you named",
    server: "This server's word",
  },
  verified: {
    document: (time: string) => `This file existed, as it is now, when its block was produced: ${time}.`,
    byKey: (time: string) =>
      `The issuer of the trusted key states that this file existed when its block was produced: ${time}.`,
    hash: (time: string) => `A file with this SHA-256 existed when its block was produced: ${time}.`,
    stated: "The issuer of the trusted key stated that this file was recorded. No other proof of it is here.",
  },
  statement: {
    notPages: "The signed statement is unchanged. Pages that are printed or shown are not checked.",
    unknownKey:
      "The statement's proofs are valid, but its key is not one that you named: name and time of its issuer are " +
      "claims. Pages that are printed or shown are not checked.",
    signed: "Signed by",
    claimed: "Claims to be signed by",
    at: "Signed at",
    claimedAt: "Claims to be signed at",
    key: "Key",
    records: "Records",
    recordsOf: (proofs: number, records: number) => `${records}, of which ${proofs} with a bundle`,
  },
  facts: {
    recordedAs: "Recorded as",
    size: "Size",
    time: "Recorded at",
    block: "Block",
    chain: "Chain",
    transaction: "Transaction",
    trusted: "Trusted",
    evidence: "Evidence",
  },
  missing: {
    file: "The bundle is consistent, but its file is missing. Add the file.",
    cryptography:
      "Browsers provide no cryptography for pages without TLS. Open this page with https, or use the offline page.",
    evidence: "There is no bundle for this file. Add its bundle (.bundle.json).",
    server: "There is no bundle for this file, and the server could not be asked.",
    cancelled: "You stopped before there was a verdict about it.",
  },
  server: {
    recorded: "This content is recorded, according to this server",
    recordedHelp: "This is the server's word. With the bundle of the file you can verify it.",
    fetch: "Verify with its bundle",
    notRecorded: "This content is not recorded, according to this server",
    notRecordedHelp: "It was never recorded here, or it was changed afterwards.",
    another: "Another file is recorded under this name",
    anotherHelp: "The same name says nothing about this file: it may be a later version or a different file.",
    anotherHash: "SHA-256 of that file",
    waiting: "Accepted, waiting for the chain",
    waitingHelp: "It was submitted and will be anchored soon.",
  },
  offlinePage: "Page for use without a network",
  steps: "Steps",
  passed: "passed",
  failed: "failed",
  step: (step: Step): StepText => ({
    title: step.title,
    ...(step.ok
      ? { proves: step.proves, assumes: step.assumes, reason: "" }
      : { proves: "", assumes: "", reason: sentence(step.reason) }),
  }),
  proves: "Proves:",
  assumes: "Assumes:",
  record: {
    title: (count: string, isOne: boolean) => `Record the ${isOne ? "file" : `${count} files`} not recorded yet`,
    about: "Only hashes and names are sent.",
    documentId: "Document id",
    documentIdHint: "Name of the document, stored in the server's journal.",
    documentIdInvalid: "A document id has 1 to 512 characters; it is not blank, . or ..",
    left: (count: string) => `Not to be recorded, because of their paths: ${count}`,
    sameNames: (count: string) => `Files with the name of another one: ${count}`,
    sameNamesHelp: "They are recorded as versions of one document, in this order: the last one is the newest.",
    type: "Type of document",
    typeHint: "Optional, for instance contract.",
    button: "Record",
    pending: "Accepted, waiting for the chain",
    pendingHelp: "The files will be anchored soon. Verify again in a moment.",
    logIn: "Log in to record files.",
  },
  download: {
    button: "Download the bundle",
    missing: "The server has no bundle of it",
  },
  access: {
    label: "API key or token",
    hint: "Stored in memory until you close this page, and sent only to this server.",
  },
};
