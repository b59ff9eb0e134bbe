/**
 * The content security policy lets no string become markup or a script (`require-trusted-types-for`), except what is
 * named here: what libraries write themselves, and the service worker. Nothing in it comes from a member. Browsers
 * without trusted types go on as they are; the policy's other rules hold in all of them.
 */
const allowedHtml = new Set([
  // React, to make a script element that does not run.
  '<script></script>',
  // Mantine, while the theme changes; the policy names its hash.
  '*, *::before, *::after {transition: none !important;}',
]);

/** A named character of Markdown, such as `&amp;`, which decode-named-character-reference reads from the browser. */
const character = /^&[a-z\d]{1,40};$/iu;

type PolicyRules = { createHTML?: (text: string) => string; createScriptURL?: (url: string) => string };

declare global {
  /** As DOM's types do not have it yet; what a policy makes is taken wherever the text would be. */
  var trustedTypes: { createPolicy: <Own extends PolicyRules>(name: string, rules: Own) => Own } | undefined;
}

globalThis.trustedTypes?.createPolicy('default', {
  createHTML: (text) => (allowedHtml.has(text) || character.test(text) ? text : refuse(text)),
  createScriptURL: (url) => (url === '/service-worker.js' ? url : refuse(url)),
});

function refuse(text: string): never {
  throw new TypeError(`Not to become markup or a script: ${text.slice(0, 100)}`);
}

// zod compiles its checks with `new Function`, which the content security policy forbids and logs. Set where zod looks
// (zod/v4/core/core.js), without loading zod: pages without a form do without it.
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });
