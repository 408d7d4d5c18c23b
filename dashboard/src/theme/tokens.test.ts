// The contrasts that the tokens promise (WCAG 2).
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const text = readFileSync(new URL("./tokens.css", import.meta.url), "utf8");
const tokens = new Map<string, [string, string]>();
for (const [, name, light, dark] of text.matchAll(/--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g)) {
  tokens.set(name!, [light!, dark!]);
}

function luminance(colour: string): number {
  const [r, g, b] = [1, 3, 5].map((i) => {
    const part = parseInt(colour.slice(i, i + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}

function contrast(one: string, other: string): number {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high! + 0.05) / (low! + 0.05);
}

const GROUNDS = ["bg", "surface", "sunken", "hover", "select"];
const INKS = [
  "ink", "ink-2", "ink-3", "now", "created", "queued", "running", "succeeded", "retrying", "dead", "cancelled", "skipped",
  "lost", "suspended",
];

describe.each([["light", 0], ["dark", 1]] as const)("%s", (_, theme) => {
  const colour = (name: string) => tokens.get(name)![theme];
  it.each(INKS)("text in %s reads on every ground", (ink) => {
    for (const ground of GROUNDS) expect(contrast(colour(ink), colour(ground))).toBeGreaterThanOrEqual(4.5);
    if (tokens.has(`${ink}-tint`)) expect(contrast(colour(ink), colour(`${ink}-tint`))).toBeGreaterThanOrEqual(4.5);
  });
  it.each([...tokens.keys()].filter((one) => one.endsWith("-fill")))("%s stands out from the surface", (fill) => {
    expect(contrast(colour(fill), colour("surface"))).toBeGreaterThanOrEqual(2.9);
  });
  it("borders of controls are seen", () => expect(contrast(colour("control"), colour("surface"))).toBeGreaterThanOrEqual(3));
  it("numbers read on every step of heat", () => {
    for (const step of [1, 2, 3]) expect(contrast(colour("ink"), colour(`heat-${step}`))).toBeGreaterThanOrEqual(4.5);
    for (const step of [4, 5, 6]) expect(contrast(colour("heat-on"), colour(`heat-${step}`))).toBeGreaterThanOrEqual(4.5);
  });
  it("solid buttons read", () => {
    expect(contrast(colour("on-solid"), colour("solid"))).toBeGreaterThanOrEqual(7);
    expect(contrast(colour("surface"), colour("dead"))).toBeGreaterThanOrEqual(4.5);
  });
});
