import type { EmailVisibility } from '#shared/identity/profiles.ts';

/** What an operator decides about the product, independent of where it runs. */
export type SiteSettings = {
  /** The address members use, such as 'https://ask.example.org'; null where it is not known. */
  publicUrl: string | null;
  /** Signs session cookies; the same on every node. */
  secret: string;
  /** How many proxies in front are believed about the member's network address. */
  trustedProxies: number;
  /**
   * Accounts of one network in an hour that write at once; later ones confirm their address first or wait for a moderator.
   * 0: the network of an account matters for nothing, such as where all members come from one.
   */
  maxAccountsPerNetwork: number;
  isSignUpOpen: boolean;
  hasPasswordSignIn: boolean;
  /** Says 'wrong credentials' without telling which of address and password was wrong. */
  hidesLoginReason: boolean;
  /**
   * Whether profiles show email addresses to signed-in members (docs/product.md 3.4): where members do not say otherwise,
   * only where they say so, or never.
   */
  profileEmail: EmailVisibility;
  /** Members may vote on their own posts (docs/product.md 7.3). */
  allowsSelfVotes: boolean;
  /** Where members may sign in as well; null: nowhere else. */
  identityProvider: IdentityProviderSettings | null;
  /** Whether a password that is known to be used by many is refused. */
  refusesCommonPasswords: boolean;
  /** What browsers are told to use https for ever: this host, the hosts below it as well, or nothing. */
  hsts: 'host' | 'subdomains' | 'off';
  /** Whether browsers keep the app to start it without a network; false takes back what they have. */
  hasServiceWorker: boolean;
};

/** An OpenID Connect provider. */
export type IdentityProviderSettings = {
  /** Such as 'https://id.example.org'. */
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** What members call it: 'Sign in with …'. */
  name: string;
};

/** Whether members come by https, and so cookies and addresses are for https alone. */
export const isHttps = ({ publicUrl }: Pick<SiteSettings, 'publicUrl'>) =>
  publicUrl?.startsWith('https:') ?? false;

/**
 * How the names of all cookies begin. Browsers take one that begins with `__Host-` from this very host alone, over https,
 * for all of its paths: no other host below the same name can set it (RFC 6265bis, section 4.1.3).
 */
export const getCookiePrefix = (settings: Pick<SiteSettings, 'publicUrl'>) =>
  isHttps(settings) ? '__Host-parley' : 'parley';
