import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { describe, test } from "node:test";
import { deflateRawSync } from "node:zlib";
import { BadAddress, MOST_BYTES, fromAddress, toAddress } from "../../src/engine/address.js";
import { readState, writeState } from "../../src/play/state.js";
import { command, documentOf } from "../support/engine.js";
import { sawtooth } from "../support/experiments.js";

describe("an address", () => {
  test("holds any scenario and gives it back", async () => {
    const long = Array.from({ length: 20_000 }, (_, i) => `# ${(i * 7919) % 104_729}`).join("\n");
    for (const toml of ["a = 1\n", "# ß, 日本, 🦀\n", long]) {
      assert.equal(await fromAddress(await toAddress(toml)), toml);
    }
  });

  test("is short and of characters that links may hold", async () => {
    const address = await toAddress('name = "one"\n[link]\nrate = "10Mbit/s"\ndelay = "20ms"\n'.repeat(20));
    assert.match(address, /^#[A-Za-z0-9_-]+$/);
    assert.ok(address.length < 150, `${address.length} characters`);
  });

  test("may have a page before it, and nothing behind it", async () => {
    const code = await toAddress("a = 1\n");
    assert.equal(await fromAddress(`file:///tmp/playground.html${code}`), "a = 1\n");
    assert.equal(await fromAddress("file:///tmp/playground.html"), undefined);
    assert.equal(await fromAddress("#"), undefined);
  });

  test("that is cut off, or has characters changed, doubled or left out, is never another experiment", async () => {
    const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    // A short text, which a compressor may store as it is, and a longer one.
    for (const toml of ['like = "linux"\n[dumbbell]\nloss = "0.5%"\n', sawtooth]) {
      const code = await toAddress(toml);
      for (let at = 1; at < code.length; at++) {
        const [before, behind] = [code.slice(0, at), code.slice(at)];
        const other = letters[(letters.indexOf(code[at] ?? "") + 1 + (at % 62)) % 64] ?? "";
        const doubled = [1, 4].map((count) => before + code.slice(at, at + count) + behind);
        for (const damaged of [at > 1 ? before : `${code}!`, before + other + behind.slice(1), before + behind.slice(1), ...doubled]) {
          try {
            // Bits of padding mean nothing, and bytes behind the end are refused by browsers alone, not by node.
            assert.equal(await fromAddress(damaged), toml, damaged);
          } catch (error) {
            assert.ok(error instanceof BadAddress && error.message.includes("whole link"), damaged);
          }
        }
      }
    }
  });

  test("that is cut off is refused in words", async () => {
    const code = await toAddress("rate = 1\n".repeat(40));
    for (const damaged of [code.slice(0, -1), code.slice(0, -3), `${code}!`, code.slice(0, 12)]) {
      await assert.rejects(fromAddress(damaged), (error) => error instanceof BadAddress && error.message.includes("whole link"));
    }
  });

  test("without a checksum, as links once had none, still opens", async () => {
    for (const toml of ["a = 1\n", sawtooth]) {
      assert.equal(await fromAddress(`#${deflateRawSync(toml).toString("base64url")}`), toml);
    }
    assert.match((await fromAddress("#ASkA1v9saWtlID0gImxpbnV4IgoKW2R1bWJiZWxsXQpsb3NzID0gIjAuNSUiCg")) ?? "", /loss = "0.5%"/);
  });

  test("of two experiments says which of them is damaged or lost", async () => {
    const [first, second] = [await toAddress("a = 1\n"), (await toAddress("b = 2\n")).slice(1)];
    assert.equal((await readState(`?beside=${second}`, first)).beside, "b = 2\n");
    await assert.rejects(readState(`?beside=${second.slice(0, -4)}`, first), /^BadAddress: Experiment B of the link is damaged: copy the whole link/);
    await assert.rejects(readState("?beside=", first), /^BadAddress: The link has lost experiment B/);
    for (const hash of ["", "#"]) await assert.rejects(readState(`?beside=${second}`, hash), /^BadAddress: The link has lost the experiment behind/);
  });

  test("that unpacks to more than a scenario may have is refused before it is unpacked whole", async () => {
    const code = await toAddress("#".repeat(MOST_BYTES + 1));
    await assert.rejects(fromAddress(code), /more than 1048576 bytes/);
  });
});

const westwood = command();
test("the command runs both experiments of an address that holds two", { skip: westwood === undefined && "the command has not been built" }, async () => {
  assert.ok(westwood !== undefined);
  const beside = sawtooth.replace("2Mbit/s", "3Mbit/s");
  const link = `playground.html${await writeState({ toml: sawtooth, beside, lesson: "queue" })}`;
  const found = execFileSync(westwood, ["run", link, "--json", "-", "--quiet"], { encoding: "utf8", maxBuffer: 1 << 28 });
  // A document a line.
  const lines = found.trimEnd().split("\n").map((line): unknown => JSON.parse(line));
  assert.deepEqual(lines, [sawtooth, beside].map((toml): unknown => JSON.parse(documentOf(westwood, toml))));
});
