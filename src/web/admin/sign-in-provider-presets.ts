import { t } from '@lingui/core/macro';
import { defaultScopes } from '#shared/identity/provider-addresses.ts';
import type { ProviderPreset, ProviderPresetId } from '#shared/admin/sign-in-provider-presets.ts';
import type { SignInProvider } from '#shared/admin/sign-in-providers.ts';

/** Where and how an admin registers Parley. */
export const presetHints: Readonly<Record<ProviderPresetId, () => string>> = {
  google: () => t`Create an OAuth client ID of the type 'Web application' in the Google Cloud console.`,
  microsoft: () =>
    t`Register an application for a single tenant in the Microsoft Entra admin center, with a redirect address of the type 'Web', and create a client secret. Add the optional claim 'email'.`,
  gitlab: () =>
    t`Add an application in GitLab under Applications, confidential, with the scopes openid, email and profile. For a GitLab of your own, change the issuer to its address.`,
  okta: () =>
    t`Create an app integration in the Okta admin console: OIDC, web application, authorization code.`,
  auth0: () => t`Create a regular web application in the Auth0 dashboard.`,
  keycloak: () =>
    t`Create a client in your realm: OpenID Connect, client authentication on, standard flow. Members need a verified email address there.`,
  sso: () =>
    t`Register Parley at the provider as a confidential client of OpenID Connect with the authorization code flow.`,
};

/** What fills the pattern of the issuer. */
export const partLabels: Readonly<Partial<Record<ProviderPresetId, () => string>>> = {
  microsoft: () => t`Directory (tenant) ID`,
  okta: () => t`Okta domain`,
  auth0: () => t`Auth0 domain`,
};

/** The values of the form. `part` fills the pattern of the preset. */
export type ProviderForm = {
  id: string;
  name: string;
  issuer: string;
  part: string;
  clientId: string;
  clientSecret: string;
  scopes: string;
  trustsEmail: boolean;
};

/** @param takenIds of the other providers */
export function getPresetForm(preset: ProviderPreset, takenIds: readonly string[]): ProviderForm {
  const { name, issuer, trustsEmail } = preset;
  const entered = { part: '', clientId: '', clientSecret: '' };
  return {
    id: findFreeId(preset.id, takenIds),
    name,
    issuer,
    ...entered,
    scopes: defaultScopes,
    trustsEmail,
  };
}

export function getProviderForm(provider: SignInProvider): ProviderForm {
  const { id, name, issuer, clientId, scopes, trustsEmail } = provider;
  return { id, name, issuer, part: '', clientId, clientSecret: '', scopes, trustsEmail };
}

/** The issuer of the form; null while the pattern has to be filled. People paste whole addresses, too. */
export function getIssuer({ issuer, part }: Pick<ProviderForm, 'issuer' | 'part'>): string | null {
  if (!issuer.includes('{part}')) return issuer;
  const cleaned = part
    .trim()
    .replace(/^https?:\/\//u, '')
    .replace(/\/+$/u, '');
  return cleaned === '' ? null : issuer.replace('{part}', cleaned);
}

function findFreeId(wanted: string, taken: readonly string[]): string {
  for (let number = 2, id = wanted; ; number++) {
    if (!taken.includes(id)) return id;
    id = `${wanted}-${number}`;
  }
}
