import js from "@eslint/js";
import prettier from "eslint-config-prettier";
import tseslint from "typescript-eslint";

/** Names that both browsers and Node have, and that the few files in plain JavaScript use. */
const SHARED_GLOBALS = { TextEncoder: "readonly", console: "readonly", fetch: "readonly" };

export default tseslint.config(
  {
    ignores: ["artifacts/", "cache/", "coverage/", "data/", "node_modules/", "panel/dist/", "typechain-types/"],
  },
  { linterOptions: { reportUnusedDisableDirectives: "error" } },
  js.configs.recommended,
  tseslint.configs.recommended,
  prettier,
  {
    rules: {
      // A leading underscore marks what is left out on purpose.
      "@typescript-eslint/no-unused-vars": [
        "error",
        { argsIgnorePattern: "^_", caughtErrorsIgnorePattern: "^_", varsIgnorePattern: "^_" },
      ],
      // Prettier does not split strings and comments. Regular expressions and URLs cannot be split.
      "max-len": ["error", { code: 120, ignoreRegExpLiterals: true, ignoreUrls: true }],
    },
  },
  {
    files: ["verifier/verify.mjs"],
    languageOptions: {
      globals: { ...SHARED_GLOBALS, atob: "readonly", btoa: "readonly", process: "readonly", TextDecoder: "readonly" },
    },
  },
  {
    files: ["server/{chain,explorer,records,recovery,proofs,attestation,journal}/**/*.ts", "{scripts,network}/**/*.ts"],
    // Reverts are read where calls of contracts are; Ignition's errors are no node's.
    ignores: [
      "server/chain/rpc/{query,node-words}.ts",
      "server/chain/contracts/interfaces.ts",
      "server/chain/embedded/*.ts",
      "scripts/deploy/ignition.ts",
    ],
    rules: {
      "no-restricted-syntax": [
        "error",
        {
          selector: "CallExpression[callee.property.name=/^(test|exec)$/] > MemberExpression[property.name='message']",
          message: "The words of nodes are matched in node-words.ts only.",
        },
        {
          selector: "CallExpression[callee.property.name='call'][arguments.0.value=/^eth_(get|call|chainId|block)/]",
          message: "The queries of query.ts tell an absent answer from an empty one.",
        },
      ],
    },
  },
  {
    files: ["scripts/{proofs,recover}/*.ts"],
    ignores: ["scripts/proofs/files.ts"],
    rules: {
      "no-restricted-imports": [
        "error",
        { name: "node:fs/promises", importNames: ["readdir"], message: "files.ts reads names, as bytes." },
      ],
    },
  },
  {
    files: ["client/*.ts"],
    rules: {
      "no-restricted-globals": [
        "error",
        ...["Buffer", "process"].map((name) => ({ name, message: "Browsers do not have it." })),
      ],
      "no-restricted-properties": [
        "error",
        ...[
          ["Promise", "withResolvers"],
          ["Promise", "try"],
          ["URL", "parse"],
          ["Array", "fromAsync"],
          ["Object", "groupBy"],
        ].map(([object, property]) => ({ object, property, message: "Node 20 does not have it." })),
      ],
    },
  },
  {
    files: ["test/**/*.ts"],
    rules: {
      "no-restricted-properties": [
        "error",
        ...["describe", "it"].map((object) => ({ object, property: "skip", message: "A test runs or is removed." })),
      ],
    },
  },
);
