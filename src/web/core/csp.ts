/**
 * The content security policy (`require-trusted-types-for`) forbids turning strings into markup or scripts, except for
 * those listed here: fixed strings of libraries, and scripts of this server. None of them contains text of members.
 * Browsers without trusted types ignore this; the other rules of the policy apply everywhere.
 */
const allowedHtml = new Set([
  // React creates a script element that does not run.
  '<script></script>',
  // Mantine disables transitions while the theme changes. The policy contains the hash of this style.
  '*, *::before, *::after {transition: none !important;}',
]);

/**
 * A character reference of Markdown, such as `&amp;`, which decode-named-character-reference decodes with the browser.
 */
const character = /^&[a-z\d]{1,40};$/iu;

/** The service worker, and the widget of other sites, of which an admin sees a preview. */
const allowedScripts = /^\/(?:service-worker\.js|widget\.js(?:\?language=[a-z]{2})?)$/u;

type PolicyRules = { createHTML?: (text: string) => string; createScriptURL?: (url: string) => string };

declare global {
  /** The DOM types lack it. Its results are accepted wherever the text would be. */
  var trustedTypes: { createPolicy: <Own extends PolicyRules>(name: string, rules: Own) => Own } | undefined;
}

globalThis.trustedTypes?.createPolicy('default', {
  createHTML: (text) => (allowedHtml.has(text) || character.test(text) ? text : refuse(text)),
  createScriptURL: (url) => (allowedScripts.test(url) ? url : refuse(url)),
});

function refuse(text: string): never {
  throw new TypeError(`Text not allowed as markup or script: ${text.slice(0, 100)}`);
}

// zod compiles its checks with `new Function`, which the content security policy forbids and logs. This sets the global
// variable that zod reads (zod/v4/core/core.js) without loading zod, which pages without a form do not need.
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });
