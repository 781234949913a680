export const session = {
  left: (seconds: number) => `The session has ${seconds} s left; it is extended by itself.`,
  ending: (seconds: number) => `The session ends in ${seconds} s`,
  endingHelp: "It can no longer be extended. Log in again when it has ended; what you are writing is kept.",
  cutOff: "The server cannot be reached",
  cutOffHelp: (seconds: number) => `The session cannot be extended until it answers again, which is tried every second. It ends in ${seconds} s.`,
  logOut: "Log out",
};
