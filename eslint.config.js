import js from "@eslint/js";
import prettier from "eslint-config-prettier";
import tseslint from "typescript-eslint";

export default tseslint.config(
  {
    ignores: [
      "artifacts/",
      "cache/",
      "coverage/",
      "data/",
      "node_modules/",
      "panel/dist/",
      "typechain-types/",
      "verifier/index.html",
    ],
  },
  js.configs.recommended,
  tseslint.configs.recommended,
  prettier,
);
