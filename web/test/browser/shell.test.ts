import assert from "node:assert/strict";
import { inBrowsers, pageUrl } from "../support/browsers.js";

inBrowsers("the playground opens from disk, and its policy runs no script but its own", pageUrl("playground"), async ({ page, faults }) => {
  assert.equal(await page.locator("h1").first().textContent(), "Westwood playground");
  const told = page.waitForEvent("console");
  await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "document.title = 'strange'";
    document.body.append(script);
  });
  await told;
  assert.notEqual(await page.title(), "strange");
  assert.match(faults.join(), /script-src/);
  // This violation was meant; any other is a fault.
  for (const meant of faults.filter((fault) => fault.includes("script-src"))) faults.splice(faults.indexOf(meant), 1);
});
