import js from "@eslint/js";
import { defineConfig, globalIgnores } from "eslint/config";
import typescript from "typescript-eslint";

export default defineConfig(
  globalIgnores(["dist/", "node_modules/"]),
  js.configs.recommended,
  typescript.configs.strictTypeChecked,
  typescript.configs.stylisticTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      eqeqeq: "error",
      // Numbers in texts are what this package writes all day.
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/explicit-module-boundary-types": "error",
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_" }],
      "@typescript-eslint/switch-exhaustiveness-check": "error",
      // The runner of node awaits what describe and test return.
      "@typescript-eslint/no-floating-promises": [
        "error",
        { allowForKnownSafeCalls: [{ from: "package", package: "node:test", name: ["describe", "test", "before", "after"] }] },
      ],
      // Pages never make elements from text: names come from strangers' files.
      "no-restricted-properties": [
        "error",
        { property: "innerHTML", message: "build elements: text may be hostile" },
        { property: "outerHTML", message: "build elements: text may be hostile" },
        { property: "insertAdjacentHTML", message: "build elements: text may be hostile" },
      ],
      "no-eval": "error",
    },
  },
  {
    files: ["**/*.js"],
    languageOptions: { globals: { console: "readonly" } },
    // Types of scripts are in their comments.
    rules: { "@typescript-eslint/explicit-module-boundary-types": "off" },
  },
);
