/** The id of the provider that the operator configures in the environment. */
export const environmentProviderId = 'oidc';

/** Where the provider sends browsers back to. The provider of the environment has no name in its address. */
export function providerCallbackPath(id: string): string {
  return id === environmentProviderId ? '/sign-in/callback' : `/sign-in/callback/${id}`;
}

/** The longest values of a provider, in characters, and the largest number of providers. */
export const signInProviderLimits = { providers: 20, name: 40, text: 500, scopes: 300 } as const;

/** What Parley asks a provider for unless an admin changes it. */
export const defaultScopes = 'openid email profile';
