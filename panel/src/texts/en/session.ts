export const session = {
  left: (seconds: number) => `The session has ${seconds} s left; it is extended automatically.`,
  ending: "The session is about to end",
  endingHelp: "It can no longer be extended. Log in again when it has ended. Your input is preserved.",
  unreachable: "The server cannot be reached",
  unreachableHelp:
    "The session cannot be extended until the server responds. The panel retries every second; the clock above " +
    "shows the remaining time.",
  logOut: "Log out",
};
