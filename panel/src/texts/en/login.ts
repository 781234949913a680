export const login = {
  title: "Log in to Sealbook",
  lead: "Records that anyone can verify.",
  address: "Blockchain address",
  password: "Password",
  submit: "Log in",
  help: "Use the address and password from your registration. The operator creates accounts with npx sealbook account.",
  verify: "Verify a file without an account.",
  addressMissing: "Enter your blockchain address.",
  addressMalformed: "An address is 0x and 40 digits from 0 to 9 and a to f.",
  passwordMissing: "Enter your password.",
  progress: {
    password: { title: "Checking the password", help: "It unlocks your account's signing key on the server." },
    chain: {
      title: "Authorising the session on the chain",
      help: "The signed transaction is waiting for a block. This takes a few seconds.",
    },
    long: {
      title: "Still waiting for the chain",
      help: "On a busy network this can take half a minute. Please leave this page open.",
    },
  },
  endings: {
    closed: "You are logged out. The token is no longer valid.",
    closedElsewhere: "The session was ended in another tab.",
    expired: "The session has expired.",
    idle: (minutes: number) => `The session has ended because the panel was not used for ${minutes} minutes.`,
    rejected: "The session has ended: its token is no longer valid.",
    again: "Log in to continue. Your input is preserved.",
  },
};
