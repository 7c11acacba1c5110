import tseslint from 'typescript-eslint';

// Biome formats and lints. What needs types is left to these few rules: the mistakes that they find are silent ones.
export default tseslint.config({
  files: ['src/**/*.ts', 'test/**/*.ts', 'bench/**/*.ts'],
  extends: [tseslint.configs.base],
  languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
  rules: {
    '@typescript-eslint/no-floating-promises': 'error',
    '@typescript-eslint/no-misused-promises': 'error',
    '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
  },
});
