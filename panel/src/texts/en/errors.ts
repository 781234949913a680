type Words = readonly [title: string, help: string];

/** Each language has the same codes. */
const withCodes = <Code extends string>(codes: Readonly<Record<Code, Words>>) => codes;

export const errors = {
  unknown: "The action failed.",
  serverMessage: (message: string) => `Server message: ${message}`,
  wrongKey: "The key or token is not valid. Enter another one, and try again.",
  tooManyHelpIn: (seconds: number) => `Try again in ${seconds} s.`,
  malformedFields: "Correct these fields, then try again:",
  /** By the codes of the client and the server: what is wrong, and what to do. */
  codes: withCodes({
    unreachable: [
      "The server does not respond.",
      "Check the network connection and whether the server is running, then try again. Your input is preserved.",
    ],
    timeout: [
      "The server did not respond in time.",
      "The action may have succeeded. Check its result before you try again.",
    ],
    unexpected_response: [
      "The server's response cannot be read.",
      "The server may have been updated, or a proxy in between has answered. Reload the page.",
    ],
    login_refused: ["Address or password is wrong.", "The address begins with 0x, and the password is case-sensitive."],
    token_invalid: ["The session has ended.", "Log in again to continue."],
    token_expired: ["The session has ended.", "Log in again to continue."],
    scope_refused: [
      "This account does not have permission.",
      "It has read access only. The operator can create an account with write access.",
    ],
    unauthorized: [
      "An API key is required.",
      "Enter an API key or a token of this server, and try again. The operator issues them.",
    ],
    forbidden: ["Access is not allowed.", "The operator has restricted it to certain networks, keys or accounts."],
    not_found: ["Not found.", "The server has nothing with this name or number."],
    conflict: ["Not possible as things stand.", "The server says why."],
    key_reused: ["This was already sent in another form.", "Check its result, and send what is missing."],
    too_expensive: ["This takes too much of the server.", "Search for less, or with the beginning of the text."],
    not_leader: ["Another server has taken over.", "Try again in a moment."],
    extend_refused: ["The session cannot be extended now.", "Log in again when it has ended."],
    uri_too_long: ["The address is too long.", "Shorten it."],
    misdirected: ["The server does not serve this address.", "Open the page at the address that the operator named."],
    too_many_requests: ["Too many requests.", "Wait a minute, then try again."],
    overloaded: ["The server is busy.", "Try again in a moment."],
    too_large: ["The input is too large.", "Send less at once."],
    malformed: ["The input is invalid.", "Correct it, then try again."],
    journal_unavailable: ["The server cannot store anything at the moment.", "Nothing was accepted. Try again later."],
    storage_full: ["The server's disk is full.", "Nothing was accepted. The operator has to make room."],
    journal_damaged: [
      "The server's journal is damaged.",
      "The operator has to restore it. What is on the chain is not affected.",
    ],
    outcome_unknown: [
      "It is not known whether the server has accepted this.",
      "Check its result before you try again.",
    ],
    chain_unavailable: [
      "The chain is not reachable.",
      "Try again in a moment, unless the server reports that the record will still be stored.",
    ],
    chain_reverted: ["The contract rejected the transaction.", "Nothing was stored."],
    internal: ["The server has failed.", "Try again. If it fails again, the operator finds the reason in its log."],
  }),
};
