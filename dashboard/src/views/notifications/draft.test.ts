import { describe, expect, it } from "vitest";
import type { NotificationRule } from "../../api/types";
import { bodyOf, draftOf } from "./draft";

describe("a rule's form", () => {
  it("asks for failures by mail, unless a person says more", () => {
    const draft = { ...draftOf(), name: "r", channels: [{ kind: "mail" as const, place: "a@b.c, d@e.f", secret: "" }] };
    expect(bodyOf(draft)).toEqual({
      name: "r", events: ["failed", "recovered"], channels: [{ kind: "mail", to: ["a@b.c", "d@e.f"] }], scope: {}, after: 1, digest: 60, quiet: null, template: null,
    });
  });

  it("sends back what it was given", () => {
    const rule = {
      name: "r", events: ["dead"], channels: [{ kind: "webhook", url: "https://x.example/", secret: "(hidden)" }, { kind: "slack", url: "https://h.example/(hidden)" }],
      scope: { labels: { team: "x", env: "a=b" } }, after: 3, digest: 0, quiet: { window: "22:00-07:00", zone: "UTC" }, template: { subject: "{{what}}", text: null },
    } as unknown as NotificationRule;
    expect(bodyOf(draftOf(rule))).toMatchObject({ events: rule.events, channels: rule.channels, after: 3, digest: 0, quiet: rule.quiet, template: rule.template, scope: rule.scope });
  });

  it("knows every scope", () => {
    const draft = { ...draftOf(), schedule: "7", lane: "k", label: "a=b, c=d" };
    expect(bodyOf({ ...draft, about: "schedule" })["scope"]).toEqual({ schedule_id: 7 });
    expect(bodyOf({ ...draft, about: "lane" })["scope"]).toEqual({ ordering_key: "k" });
    expect(bodyOf({ ...draft, about: "label" })["scope"]).toEqual({ labels: { a: "b", c: "d" } });
    expect(bodyOf({ ...draft, about: "cluster" })["scope"]).toEqual({ cluster: true });
  });
});
