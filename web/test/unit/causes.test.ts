import assert from "node:assert/strict";
import { test } from "node:test";
import { causeOf, lastBefore, type Change } from "../../src/charts/causes.js";

test("the change that counts is the last one that is not after a time", () => {
  const changes: Change[] = [[1, 0, 1], [2, 1, 0], [2, 2, 1], [5, 3, 1]];
  assert.equal(lastBefore(changes, 0.5), -1);
  assert.equal(lastBefore(changes, 2), 2);
  assert.equal(lastBefore(changes, 9), 3);
});

test("the end of a recovery says when and why that recovery began", () => {
  const changes: [number, string, 0 | 1][] = [
    [0.5, "recovery ends", 0],
    [1, "3 dupacks: half of 40 segments = 20 segments", 1],
    [1.5, "restart after idle", 0],
    [2, "recovery ends", 0],
    [2.5, "recovery ends", 0],
    [3, "recovery ends; timeout", 1],
    [4, "recovery ends", 0],
    [5, "damaged, not congested: nothing reduced", 0],
    [6, "recovery ends", 0],
  ];
  const causes = [...new Set(changes.map(([, cause]) => cause))];
  const stored = changes.map(([time, cause, reduced]): Change => [time, causes.indexOf(cause), reduced]);
  const said = stored.map((_, place) => causeOf(stored, place, causes));
  const began = (time: string, why: string): string => `the recovery that began at ${time}\u{a0}s ends; its cause was: ${why}`;
  assert.deepEqual(said, [
    "recovery ends",
    "3 dupacks: half of 40 segments = 20 segments",
    "restart after idle",
    began("1.000", "3 dupacks: half of 40 segments = 20 segments"),
    "recovery ends",
    "recovery ends; timeout",
    began("3.000", "timeout"),
    "damaged, not congested: nothing reduced",
    began("5.000", "damaged, not congested: nothing reduced"),
  ]);
});
