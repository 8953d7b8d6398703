import assert from "node:assert/strict";
import { test } from "node:test";
import { shortName } from "../../src/play/path";

test("a long name of a host or a router is cut where it has no room", () => {
  assert.equal(shortName("router 1"), "router 1");
  const cut = shortName("a".repeat(60));
  assert.ok(cut.length <= 18 && cut.endsWith("\u2026"), cut);
});
