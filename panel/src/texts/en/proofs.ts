export const proofs = {
  title: "Proofs",
  about: "Record a file, or check a recorded one. The browser hashes the file and does not send it.",
  drop: "Drop a file here, or choose one",
  dropHint: "Any size. Add its proof (.bundle.json) to check the file against the proof.",
  dropDocument: "Add the file",
  dropDocumentHint: "The proof is loaded. Drop the file that belongs to it.",
  another: "Another file",
  size: "Size",
  unreadable: "The file cannot be read",
  hashing: (name: string) => `Hashing ${name}:`,
  looking: "Searching for records of this file…",
  withBundle: "Do you have its proof?",
  dropBundle: "Drop the proof (.bundle.json)",
  dropBundleHint: "The browser checks the file against it step by step, independently of the server's journal.",

  verdicts: {
    same: "Recorded: exactly this content",
    sameHelp: "The file is unchanged since then, and the chain confirms it.",
    changed: "Changed: this is not the recorded content",
    changedHelp: (name: string) => `The record of "${name}" is of different content. This content has no record.`,
    waiting: "Accepted, waiting for the chain",
    waitingHelp: "It was sent before and will be anchored soon. Sending it again has no effect.",
    unknown: "Not recorded",
    unknownHelp: "There is no proof of this content: it was never recorded here, or the file has changed.",
    recorded: "Recorded",
    transaction: "Transaction",
    recordedHash: "Recorded SHA-256",
    foundHash: "SHA-256 of this file",
  },

  anchoring: {
    title: "Record it",
    titleChange: "Record this version as well",
    about: "Only the hash is sent to the server; the chain stores it as part of a recorded hash.",
    documentId: "Document id",
    documentIdHint: "Name of the document, stored in the server's journal.",
    documentIdMissing: "Enter the name of the document.",
    type: "Type of document",
    typeHint: "Optional, for instance contract.",
    button: "Record it",
    sending: "Sending the hash and waiting for the chain…",
    pending: "Accepted. It will be anchored soon; this page updates automatically.",
    confirmed: "Recorded on the chain",
    confirmedHelp: "Everybody can now verify that this content existed at this time. Keep the proof with the file.",
    block: "Block",
  },

  download: {
    button: "Download the proof",
    about: "A file that verifies the document without this server.",
    documentId: "Document id",
    documentIdHint: "The recorded name differs from the file name: enter the recorded name.",
    missing: "There is no proof with this id",
    missingHelp: "Enter the name under which the document was recorded.",
  },

  check: {
    holds: "Verification passed",
    holdsHelp:
<<<<<<< HEAD
      "This file existed, exactly as it is, when the block was made. Every step was computed in your browser; " +
      "the block was compared with the chain's.",
    fails: "The proof does not hold",
    failsHelp: "The step that fails is marked below. The proof may have been altered, or be one of another chain.",
=======
      "This file existed unchanged at the time of the block. Your browser computed every step and compared the " +
      "block with the chain.",
    fails: "Verification failed",
    failsHelp: "The failed step is marked below. The proof may be altered or belong to another chain.",
>>>>>>> trunk
    changed: "Changed: this is not the file of the proof",
    changedHelp: (name: string) =>
      `The SHA-256 of "${name}" differs from that of the proof. A single changed character has this effect.`,
    checking: "Checking…",
    steps: "Checks",
    stepHolds: "passed",
    stepFails: "failed",
    insecure: "The signatures of the proof cannot be checked here",
    insecureHelp:
<<<<<<< HEAD
      "Browsers have no cryptography for pages that come without TLS. The way to the root below is checked all " +
      "the same; for everything use https, or the offline verifier.",
=======
      "Browsers provide no cryptography for pages without TLS. The inclusion proof below is checked; for all " +
      "checks use https or the offline verifier.",
>>>>>>> trunk
    titles: {
      Format: "Format",
      "Issuer's signature": "Issuer's signature",
      Document: "Document",
      "Recorded hash": "Recorded hash",
      Batch: "Inclusion in the batch",
      "Block header": "Block header",
      Transaction: "Transaction in the block",
      Receipt: "Receipt in the block",
      Node: "The block is on the chain",
    },
  },

  path: {
    title: "Check a proof against the chain",
    about:
<<<<<<< HEAD
      "Which documents are under a root is nowhere on the chain. Whoever has a document's proof can draw the way " +
      "from its hash to the root, and see that the chain has the root.",
    holds: "The way leads to the chain",
    holdsAbout: "Every step was computed in your browser. The chain has had its end since",
=======
      "The chain stores only the root, not the documents under it. The proof of a document shows the audit " +
      "path from its hash to the root, which is compared with the chain.",
    holds: "Verification passed: the root is on the chain",
    holdsAbout: "Your browser computed every step. The root was anchored at",
>>>>>>> trunk
    inBlock: "block",
    fails: "Verification failed: the path does not lead to the chain",
    faults: {
      recordHash: "Document, time and type do not give the recorded hash of the proof.",
      leaf: "The recorded hash does not give the leaf of the proof.",
      root: "The path does not lead to the root of the proof.",
      otherChain: (proof: number, chain: number) =>
        `The proof is of chain ${proof}, this explorer shows chain ${chain}.`,
      otherContract: "The proof names a different contract than this chain's.",
      notAnchored: "The path is consistent, but its root is not anchored on the chain.",
      otherForm: "The chain has it in a different form than the proof states: as a root, or alone.",
    },
    document: "Document",
    documentId: "Document id",
    documentHash: "SHA-256",
    type: "Type",
    timestamp: "Stated time",
    recordHash: "Recorded hash",
    recordHashAbout: "SHA-256 over id, stated time, type and the document's hash.",
    way: "Audit path",
    steps: "All steps",
    stepRecord: "Recorded hash: SHA-256 of document id, time, type and the document's SHA-256",
    stepLeaf: "Leaf: keccak-256 of the recorded hash, twice",
    stepPair: "With its sibling, the smaller first",
    stepEnd: "This must equal the anchored hash",
    right: "as stated",
    wrong: "not as stated",
  },

  tree: {
    label: (levels: number) =>
      `Audit path from the document to the anchored root: ${levels} ${levels === 1 ? "level" : "levels"} of a tree`,
    lost: "Not on the chain",
    kinds: {
      root: "On the chain",
      node: "Node",
      leaf: "Leaf",
      sibling: "Sibling",
      record: "Recorded hash",
      document: "Document's SHA-256",
    },
    about: {
      root: "The computed end of the path.",
      node: "keccak-256 of the pair beneath it.",
      leaf: "The recorded hash, hashed twice to distinguish leaves from inner nodes.",
      sibling: "Part of the proof. It commits to everything beneath it without revealing it.",
      record: "SHA-256 over id, stated time, type and the document's hash.",
      document: "SHA-256 of the file. Drop the file to compare.",
    },
    onChain: "the chain has it",
    notOnChain: "the chain does not have it",
  },

  compare: {
    title: "Compare your file",
    hint: "The browser hashes it and does not send it.",
    same: "The file matches the proof",
    changed: "The file does not match the proof",
    changedHelp: (name: string) => `${name} has a different SHA-256: it was changed, or is a different file.`,
  },

  bring: {
    title: "Drop a proof here, or choose one",
    hint: "A .bundle.json or .proof.json. The browser reads it and does not send it.",
    paste: "Paste it instead",
    pasteLabel: "Text of the proof",
    show: "Show the path",
    fetch: "Fetch it from this server",
    unreadable: "This is not a proof",
    unreadableHelp: "Use a bundle (.bundle.json), a proof file (.proof.json), or a response of /api/v1/proof.",
    another: "This proof leads to another root",
    anotherHelp: "The path is shown, but it does not lead to the root on this page.",
    again: "Another proof",
  },

  fetch: {
    about: "Proofs in the server's journal require access to the integrity-proof API.",
    label: "Document id or proof id",
    hint: "The recorded name of the document, or the recorded hash.",
    button: "Fetch",
    missing: "There is no such proof",
    missingHelp: "Neither a proof nor a document has this id.",
  },

  failures: {
    unauthorized: "Authentication required",
    unauthorizedHelp: "Enter an API key or a token, and try again.",
    wrongKey: "The key or token is not valid. Enter another one, and try again.",
    forbidden: "This is not allowed",
    notYet: "Not yet",
    keyLabel: "API key or token",
    keyHint: "Kept until you close this page, and sent only to this server.",
  },
};
