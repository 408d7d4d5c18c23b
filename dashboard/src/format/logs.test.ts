import { expect, test } from "vitest";
import { shownLine } from "./logs";

test("colours, titles and control characters of a log are left out", () => {
  expect(shownLine("\u001b[1;31merror\u001b[0m: gone")).toBe("error: gone");
  expect(shownLine("\u001b]0;a title\u0007text")).toBe("text");
  expect(shownLine("a\u0000b\u009bc\u202e\tlast")).toBe("abc\tlast");
});

test("a line that was written over shows its last state", () => {
  expect(shownLine("10 %\r50 %\r100 %")).toBe("100 %");
  expect(shownLine("with windows' end\r")).toBe("with windows' end");
});
