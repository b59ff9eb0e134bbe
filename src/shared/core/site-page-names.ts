// Without zod: the router of the web app needs the names at its start.

/** The pages whose texts are site settings. Each is at the address of its name: /about. */
export const sitePageNames = ['about', 'rules', 'privacy'] as const;
export type SitePageName = (typeof sitePageNames)[number];
