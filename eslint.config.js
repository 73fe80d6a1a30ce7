// How `make check` reads the page's modules. `make tools` puts eslint beside axe-core, under .venv/npm.

const js = require("./.venv/npm/node_modules/@eslint/js");

const BROWSER = [
  ...["AbortSignal", "Audio", "Blob", "CSSStyleSheet", "DOMParser", "Element", "EventSource", "File", "ResizeObserver", "URL", "URLSearchParams", "clearInterval", "clearTimeout", "console"],
  ...["crypto", "devicePixelRatio", "document", "fetch", "history", "localStorage", "location", "navigator", "performance", "requestAnimationFrame"],
  ...["sessionStorage", "setInterval", "setTimeout", "window"],
]; // what the page uses of a browser's own names: any other is a mistake, or to be added here

module.exports = [
  {
    files: ["src/prefero/web/page/*.js", "src/prefero/web/notebook/*.js"],
    languageOptions: { sourceType: "module", globals: Object.fromEntries(BROWSER.map((name) => [name, "readonly"])) },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      ...js.configs.recommended.rules,
      "no-unused-vars": "error",
      eqeqeq: "error",
      "prefer-const": "error",
    },
  },
];
