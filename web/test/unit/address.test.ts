import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { describe, test } from "node:test";
import { BadAddress, MOST_BYTES, fromAddress, toAddress } from "../../src/engine/address.js";
import { writeState } from "../../src/play/state.js";
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

  test("that is damaged is refused in words", async () => {
    const code = await toAddress("rate = 1\n".repeat(40));
    for (const damaged of [code.slice(0, -3), `${code}!`, `${code.slice(0, 5)}____${code.slice(9)}`]) {
      await assert.rejects(fromAddress(damaged), (error) => error instanceof BadAddress && error.message.includes("whole link"));
    }
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
  assert.ok(found === documentOf(westwood, sawtooth) + documentOf(westwood, beside), found.slice(0, 200));
});
