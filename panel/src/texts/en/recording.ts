export const recording = {
  title: (all: string) => `Recording ${all} files`,
  about: "It goes on while you do other things, and after a reload.",
  done: (done: string, all: string) => `${done} of ${all} recorded`,
  left: (time: string) => `${time} left`,
  goOn: "Continue",
  cancel: "Cancel",
  tooOld:
    "A recording was not finished within a day. Give the files again: those that are recorded are found and left out.",
};
