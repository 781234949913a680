export const session = {
  left: (seconds: number) => `The session has ${seconds} s left; it is extended by itself.`,
  ending: "The session is about to end",
  endingHelp: "It can no longer be extended. Log in again when it has ended; what you are writing is kept.",
  cutOff: "The server cannot be reached",
  cutOffHelp:
    "The session cannot be extended until it answers again, which is tried every second. The clock above says " +
    "how long the session lasts.",
  logOut: "Log out",
};
