import prettier from "eslint-config-prettier"
import accessibility from "eslint-plugin-vuejs-accessibility"
import vue from "eslint-plugin-vue"
import globals from "globals"
import typescript from "typescript-eslint"

export default typescript.config(
  { ignores: ["node_modules", "coverage", "src/api/schema.d.ts", "src/api/defaults.ts"] },
  ...typescript.configs.recommended,
  ...vue.configs["flat/recommended"],
  ...accessibility.configs["flat/recommended"],
  {
    files: ["**/*.{ts,vue}"],
    languageOptions: { globals: globals.browser, parserOptions: { parser: typescript.parser } },
    rules: {
      "@typescript-eslint/consistent-type-imports": "error",
      // Leaving properties out by destructuring names what is excluded.
      "@typescript-eslint/no-unused-vars": ["error", { ignoreRestSiblings: true, argsIgnorePattern: "^_" }],
      "no-undef": "off",
      // A label around its control and a label by id are both right; one is enough.
      "vuejs-accessibility/label-has-for": ["error", { required: { some: ["nesting", "id"] } }],
      "vue/block-lang": ["error", { script: { lang: "ts" } }],
      "vue/component-api-style": ["error", ["script-setup"]],
      "vue/no-unused-refs": "error",
      "vue/require-default-prop": "off",
    },
  },
  { files: ["**/*.{js,mjs}"], languageOptions: { globals: globals.node } },
  prettier,
)
