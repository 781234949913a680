export const recording = {
  title: (all: string) => `Recording: ${all}`,
  about: "It goes on while you do other things, and after a reload.",
  done: (done: string, all: string) => `${done} of ${all} recorded`,
  left: (time: string) => `${time} left`,
  goOn: "Continue",
  goesOn: "It goes on by itself.",
  cancel: "Cancel",
  cancelling: "Ends when the server has answered about what was sent.",
  otherTab: "Another tab of this browser records files. Wait for its end, or cancel it there.",
  tooOld:
    "A recording was not finished within a day. Give the files again: those that are recorded are found and left out.",
};
