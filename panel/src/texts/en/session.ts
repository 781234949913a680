export const session = {
  left: (seconds: number) => `The session has ${seconds} s left.`,
  ending: "The session is about to end",
  endingHelp: "It can no longer be extended. Log in again when it has ended. Your input is preserved.",
  paused: "The session is not extended at the moment",
  pausedHelp: (minutes: number) =>
    `Nobody has used the panel for ${minutes} minutes. ` +
    "A key, a click or a movement of the pointer continues the session.",
  unreachable: "The session cannot be extended at the moment",
  unreachableHelp:
    "The server or its chain does not respond. The panel retries every second; the clock above " +
    "shows the remaining time.",
  logOut: "Log out",
};
