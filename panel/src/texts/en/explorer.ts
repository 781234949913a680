const count = (number: number, one: string, many: string): string =>
  `${number.toLocaleString("en")} ${number === 1 ? one : many}`;

export const explorer = {
  checkProof: "Check a proof",
  toPanel: "Panel",
  toStart: "To the explorer's start",
  askAgain: "Try again",
  more: "Show more",
  noPage: "There is no such page",
  noPageHelp: "The address may be incomplete. Use the search instead.",
  transactionCount: (number: number) => count(number, "transaction", "transactions"),
  anchorSize: (size: number) =>
    size === 0 ? "one hash alone" : count(size, "hash under one root", "hashes under one root"),

  states: { pending: "waiting", succeeded: "succeeded", reverted: "reverted" },

  contracts: { ProofAnchor: "Proof anchor", EventTable: "Event table", SessionRegistry: "Session registry" },

  start: {
    newest: "Newest",
    title: "Explore the chain",
    about:
<<<<<<< HEAD
      "Everything here is read from the chain, without a login and without the server's journal. Find a block, a " +
      "transaction, an address or an anchored hash, or follow a proof to the chain.",
=======
      "All data come directly from the chain, without login and without the server's journal. Find a block, a " +
      "transaction, an address or an anchored hash, or check a proof against the chain.",
>>>>>>> trunk
    blocks: "Newest blocks",
    anchors: "Newest anchors",
    noAnchors: "There are no recent anchors.",
    chain: "The chain and its contracts",
    chainId: "Chain id",
  },

  search: {
    label: "Search by hash, block number or address, or paste a proof",
    placeholder: "Hash, block number, address, or a pasted proof",
    button: "Search",
    title: "Search",
    several: "Several results",
    nothing: "No results on this chain",
    nothingHelp: "Check that the search term is complete and belongs to this chain.",
    nothingForHash:
<<<<<<< HEAD
      "It is no block, no transaction, and was not anchored by itself. A document's own hash is never on the " +
      "chain: it is part of a recorded hash, which may be one of many under a root. With its proof the way there " +
      "can be shown:",
    bringProof: "bring the proof",
    unreadable: "This cannot be searched for",
=======
      "It is not a block, a transaction or an anchored hash. The chain does not contain document hashes: a " +
      "document hash is part of a recorded hash, which can be one of many under a root. The document's proof " +
      "shows its inclusion:",
    bringProof: "open the proof",
    unreadable: "The search term is invalid",
>>>>>>> trunk
    unreadableHelp:
      "A block number has digits only, a hash is 64 hexadecimal digits, an address 40, each with or without 0x.",
    kinds: {
      block: "Block",
      transaction: "Transaction",
      anchor: "Anchored hash",
      session: "Hash of a session token in the registry",
      address: "Address",
    },
  },

  block: {
    title: (number: string) => `Block ${number}`,
    missing: "The chain does not have this block",
    missingHelp: "It may not exist yet, belong to another chain, or not have reached this node.",
    neighbours: "Adjacent blocks",
    previous: "Previous",
    next: "Next",
    time: "Time",
    hash: "Hash",
    parent: "Parent hash",
    proposer: "Proposed by",
    seals: "Commit seals",
    sealed: (sealers: number, validators: number) => `${sealers} of ${validators} validators`,
    quorum: (quorum: number) => `quorum ${quorum}`,
    gas: "Gas used / limit",
    size: "Size",
    empty: "This block has no transactions",
    emptyHelp: "Networks produce blocks at regular intervals, also without transactions.",
    transactions: "Transactions of this block",
    transaction: "Transaction",
    action: "Action",
    from: "Sent by",
    result: "Result",
  },

  actions: {
    kinds: {
      anchor: "Anchor",
      record: "Record",
      session: "Session",
      administration: "Administration",
      deployment: "Deployment of a contract",
      empty: "Empty transaction",
      other: "Call of another contract",
    },
    anchored: "A hash was anchored",
    anchoredBatch: (size: number) => `The root of ${count(size, "hash", "hashes")} was anchored`,
    storedRecord: (code: string) => `Record ${code}`,
    storedRow: (row: string, table: string) => `Row ${row} of table ${table}`,
    sessionSteps: {
      open: "A session was opened",
      validate: "A session was validated",
      extend: "A session was extended",
      close: "A session was closed",
    },
    administered: (name: string) => `Administration: ${name}`,
    held: "the chain holds it",
    replaced: "overwritten since",
    absent: "not on the chain",
    inBlock: "block",
    record: "Record",
    code: "Code",
    topic: "Topic",
    created: "Created",
    row: "Row and table",
    sender: "Sender in the row",
    signer: "Signed by",
    noSigner: "no valid signature",
    isSender: "the sender's signature",
    isNotSender: "not the sender",
    stored: "Stored",
    compressed: "compressed with bzip2",
    plain: "as plain text",
    payload: "Payload",
    unreadable: "The row is not a readable record",
    session: "Session",
    account: "Account",
    tokenHash: "Hash of the token",
    replacedTokenHash: "Hash of the replaced token",
    newTokenHash: "Hash of the new token",
    tokenAbout: "The chain stores only hashes of tokens, which do not grant access to a session.",
  },

  transaction: {
    title: "Transaction",
    missing: "The chain does not have this transaction",
<<<<<<< HEAD
    missingHelp:
      "It may still be on its way, or be one of another chain. A transaction that was just sent appears within a " +
      "few blocks.",
    reverted: "The contract refused it; nothing was changed",
=======
    missingHelp: "It may still be in flight or belong to another chain. A new transaction appears within a few blocks.",
    reverted: "The contract reverted it; nothing has changed",
>>>>>>> trunk
    pending: "It is not in a block yet",
    pendingHelp: "This page updates automatically.",
    onChain: "On the chain",
    hash: "Hash",
    time: "Time",
    block: "Block",
    confirmations: (number: number) => count(number, "confirmation", "confirmations"),
    from: "Sent by",
    to: "To",
    deployed: "Deployed",
    nonce: "Nonce",
    gas: "Gas used / limit",
    value: "Value in wei",
    call: (signature: string) => `Call: ${signature}`,
    callArguments: "Arguments of the call",
    logs: (number: number) => `Log: ${count(number, "entry", "entries")}`,
    noLogs: "It emitted no events.",
    input: "Call data",
    noInput: "It has no call data.",
    name: "Name",
    argument: "Value",
    characters: (number: number) => `(${count(number, "character", "characters")})`,
    foreignLog: "Entry of another contract",
    rawLog: "Topics and data",
  },

  anchor: {
    single: "Anchored hash",
    singleAbout: "A recorded hash that was anchored alone. It covers a document's hash, id, time and type.",
    batch: "Anchored batch",
<<<<<<< HEAD
    batchAbout:
      "The root of a Merkle tree: it stands for every recorded hash under it, and nobody can put another " +
      "under it later.",
    held: "the chain holds it",
    missing: "This hash was not anchored",
    missingHelp:
      "The contract has never seen it. A hash that is one of many under a root is not on the chain by itself: " +
      "its proof leads to the root.",
=======
    batchAbout: "The root of a Merkle tree. It commits to every recorded hash under it; none can be added later.",
    held: "the chain holds it",
    missing: "This hash was not anchored",
    missingHelp:
      "The contract has no anchor of it. The chain does not contain hashes under a root: their proofs lead to " +
      "the root.",
>>>>>>> trunk
    hash: "Recorded hash",
    root: "Root",
    size: "Covers",
    first: "First anchored",
    block: "Block",
    transaction: "Transaction",
    follow: "Check a document against it",
  },

  address: {
    address: "Address",
    unreadable: "This is not an address",
    unreadableHelp: "An address is 40 hexadecimal digits, with or without 0x.",
    otherContract: "Contract",
    relayer: "Relayer",
    administrator: "Administrator",
    account: "Account",
    validator: "Validator",
    unknown: "Address",
    scopes: { full: "read and write", read: "read only" },
    about: {
      ProofAnchor: "Stores when each hash or Merkle root was first anchored.",
      EventTable: "Stores rows signed by enrolled accounts. Only relayers can write.",
      SessionRegistry: "Stores the enrolled accounts and the live sessions.",
      otherContract: "A contract that does not belong to this deployment.",
      relayer: "Sends and pays for the transactions of a Sealbook server. It cannot sign for accounts.",
      administrator: "Grants and revokes roles on the contracts.",
      account: "An account enrolled in the registry.",
      validator: "Proposes and validates blocks.",
      unknown: "It has no role on the contracts.",
    },
    sent: "Transactions sent",
    relays: "Writes to",
    administers: "Administers",
    balance: "Balance in wei",
    activity: "Newest events",
    activityAbout: "Events of the contracts. The list does not include transactions without events.",
    noActivity: "The contracts have emitted no events for this address.",
    noneYet: "None in the newest blocks; search older blocks.",
    event: "Event",
    transaction: "Transaction",
    block: "Block",
  },

  events: {
    anchored: "Hash anchored",
    anchoredBatch: (size: number) => `Root of ${count(size, "hash", "hashes")} anchored`,
    rowWritten: (row: string, table: string) => `Row ${row} of table ${table} written`,
    sessionOpened: (account: string) => `Session of ${account} opened`,
    sessionValidated: "Session validated",
    sessionExtended: "Session extended",
    sessionClosed: "Session closed",
    accountEnrolled: (account: string) => `Account ${account} enrolled`,
    accountRevoked: (account: string) => `Account ${account} revoked`,
    roleGranted: (account: string) => `Role granted to ${account}`,
    roleRevoked: (account: string) => `Role revoked from ${account}`,
    lifetimeChanged: (seconds: string) => `Lifetime of sessions set to ${seconds} s`,
    foreign: "Unknown event",
  },

  failures: {
    chainAway: "The chain is not reachable",
    chainAwayHelp: "The server has no connection to its node. Nothing is lost. Try again in a moment.",
    serverAway: "The server does not respond",
    serverAwayHelp: "It may be restarting, or your network is down. Try again in a moment.",
    forbidden: "Your network has no access",
    forbiddenHelp:
      "The operator has restricted the explorer to certain networks. Use one of them, or ask the operator for access.",
    tooMany: "Too many requests",
    tooManyHelp: (seconds: number) => `Try again in ${count(seconds, "second", "seconds")}.`,
    other: "Something went wrong",
  },
};
