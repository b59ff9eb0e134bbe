// zod compiles its checks with `new Function`, which the content security policy forbids and logs. Set where zod looks
// (zod/v4/core/core.js), without loading zod: pages without a form do without it.
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });
