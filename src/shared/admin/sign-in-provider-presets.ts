/** What is known about a provider before an admin registers Parley there. */
export type ProviderPreset = {
  id: ProviderPresetId;
  /** Empty for a provider that is not listed. */
  name: string;
  /** The issuer, or a pattern that contains `{part}`. */
  issuer: string;
  /** An example of what is entered. */
  placeholder: string;
  /** The page of the provider where Parley is registered. Null if each customer has another one. */
  console: string | null;
  /** Whether the provider never says that an address is verified. */
  trustsEmail: boolean;
};

export type ProviderPresetId = 'google' | 'microsoft' | 'gitlab' | 'okta' | 'auth0' | 'keycloak' | 'sso';

export const providerPresets: readonly ProviderPreset[] = [
  {
    id: 'google',
    name: 'Google',
    issuer: 'https://accounts.google.com',
    placeholder: '',
    console: 'https://console.cloud.google.com/auth/clients',
    trustsEmail: false,
  },
  {
    id: 'microsoft',
    name: 'Microsoft',
    issuer: 'https://login.microsoftonline.com/{part}/v2.0',
    placeholder: '00000000-0000-0000-0000-000000000000',
    console: 'https://entra.microsoft.com/#view/Microsoft_AAD_RegisteredApps/ApplicationsListBlade',
    trustsEmail: true,
  },
  {
    id: 'gitlab',
    name: 'GitLab',
    issuer: 'https://gitlab.com',
    placeholder: 'https://gitlab.com',
    console: 'https://gitlab.com/-/user_settings/applications',
    trustsEmail: false,
  },
  {
    id: 'okta',
    name: 'Okta',
    issuer: 'https://{part}',
    placeholder: 'example.okta.com',
    console: null,
    trustsEmail: false,
  },
  {
    id: 'auth0',
    name: 'Auth0',
    issuer: 'https://{part}/',
    placeholder: 'example.eu.auth0.com',
    console: 'https://manage.auth0.com/#/applications',
    trustsEmail: false,
  },
  {
    id: 'keycloak',
    name: 'Keycloak',
    issuer: '',
    placeholder: 'https://id.example.org/realms/main',
    console: null,
    trustsEmail: false,
  },
  {
    id: 'sso',
    name: '',
    issuer: '',
    placeholder: 'https://id.example.org',
    console: null,
    trustsEmail: false,
  },
];
