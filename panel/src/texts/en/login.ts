export const login = {
  title: "Log in to Sealbook",
  lead: "Records that anybody can check, long after.",
  address: "Blockchain address",
  password: "Password",
  submit: "Log in",
  help:
    "You received address and password when you were registered. Whoever runs the server can make an account " +
    "with npm run account.",
  addressMissing: "Enter your blockchain address.",
  addressMalformed: "An address is 0x and 40 more digits from 0 to 9 and a to f.",
  passwordMissing: "Enter your password.",
  progress: {
    password: { title: "Checking the password", help: "It unlocks your account's signing key on the server." },
    chain: {
      title: "The chain is authorising the session",
      help: "Your account has signed for it; now a block has to take it up. This takes a few seconds.",
    },
    long: {
      title: "Still waiting for the chain",
      help: "On a busy network this can take half a minute. Nothing has to be done; please leave this page open.",
    },
  },
  endings: {
    closed: "You are logged out. The token is no longer valid.",
    closedElsewhere: "The session was ended in another tab.",
    expired: "The session has expired.",
    refused: "The session has ended: the server no longer knows its token.",
    again: "Log in to go on. What you were writing is still there.",
  },
};
