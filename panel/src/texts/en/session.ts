export const session = {
  left: (seconds: number) => `The session has ${seconds} s left; it is extended automatically.`,
  ending: "The session is about to end",
  endingHelp: "It can no longer be extended. Log in again when it has ended. Your input is kept.",
  cutOff: "The server cannot be reached",
  cutOffHelp:
<<<<<<< HEAD
    "The session cannot be extended until it answers again, which is tried every second. The clock above says " +
    "how long the session lasts.",
=======
    "The session cannot be extended until the server responds. The panel retries every second; the clock above " +
    "shows the remaining time.",
>>>>>>> trunk
  logOut: "Log out",
};
