import type { EmailVisibility } from '#shared/identity/profiles.ts';

/**
 * What the operator configures in the environment, independent of where Parley runs. What admins change in the browser, the
 * site settings of the interface, is in `site-settings.ts`.
 */
export type OperatorSettings = {
  /** The address that members use, such as 'https://ask.example.org'. Null if unknown. */
  publicUrl: string | null;
  /** Signs session cookies. The same on every node. */
  secret: string;
  /** The number of proxies whose report of the client's address is trusted. */
  trustedProxies: number;
  /**
   * The number of accounts per network and hour that may post immediately. Members of later accounts confirm their
   * address or wait for a moderator. 0 disables all rules by network, for sites where all members share one.
   */
  maxAccountsPerNetwork: number;
  isSignUpOpen: boolean;
  hasPasswordSignIn: boolean;
  /** Reports 'wrong credentials' without saying which of address and password is wrong. */
  hidesLoginReason: boolean;
  /**
   * Whether profiles show email addresses to signed-in members (docs/product.md 3.4): by default, only if the member
   * chooses it, or never.
   */
  profileEmail: EmailVisibility;
  /** Whether members may vote on their own posts (docs/product.md 7.3). */
  allowsSelfVotes: boolean;
  /**
   * The imported site whose addresses of questions and answers lead members to the imported posts, such as
   * 'cooking.stackexchange.com'. Null: none.
   */
  importedSite: string | null;
  /** The sign-in provider of the environment, besides those that admins add. Null: none. */
  identityProvider: IdentityProviderSettings | null;
  /** Whether commonly used passwords are refused. */
  refusesCommonPasswords: boolean;
  /** The scope of the HTTPS-only header (HSTS): this host, its subdomains too, or none. */
  hsts: 'host' | 'subdomains' | 'off';
  /** Hosts that web hooks may reach without https and outside of the public internet (WEBHOOK_HOSTS). */
  webhookHosts: readonly string[];
  /** Whether browsers install the service worker, which starts the app offline. False removes it. */
  hasServiceWorker: boolean;
};

/** An OpenID Connect provider. */
export type IdentityProviderSettings = {
  /** Such as 'https://id.example.org'. */
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** The label in 'Sign in with …'. */
  name: string;
};

/** Whether members use https. Cookies and links are then for https only. */
export const isHttps = ({ publicUrl }: Pick<OperatorSettings, 'publicUrl'>) =>
  publicUrl?.startsWith('https:') ?? false;

/** The origin of links for readers, such as 'https://ask.example.org': the configured one, or that of the request. */
export const getOrigin = ({ publicUrl }: Pick<OperatorSettings, 'publicUrl'>, url: URL) =>
  publicUrl ?? url.origin;

/**
 * The prefix of all cookie names. Browsers accept a name with `__Host-` only from this exact host, over https and for
 * all paths, so another host of the same domain cannot set it (RFC 6265bis, section 4.1.3).
 */
export const getCookiePrefix = (settings: Pick<OperatorSettings, 'publicUrl'>) =>
  isHttps(settings) ? '__Host-parley' : 'parley';
