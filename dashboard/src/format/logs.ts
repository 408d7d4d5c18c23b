// Lines that a task printed. They are a stranger's text: colours and other control characters are left out. Pure.

// eslint-disable-next-line no-control-regex
const SEQUENCES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\^_])/g;
// eslint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** A line as it is shown. Of a line that was written over (a progress bar), the last state. */
export function shownLine(line: string): string {
  const plain = line.replace(SEQUENCES, "").replace(/\r+$/, "");
  return plain.slice(plain.lastIndexOf("\r") + 1).replace(CONTROLS, "");
}
