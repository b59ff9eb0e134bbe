import { environmentProviderId, providerCallbackPath } from '#shared/identity/provider-addresses.ts';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ClientAuthMethod, Provider } from 'oidc-provider';
import type { IdentityProviderSettings } from '#server/core/operator-settings.ts';

/** A person with an account at the provider. */
export type ProviderPerson = {
  subject: string;
  email?: string;
  email_verified?: boolean | string;
  name?: string;
};

/** A real OpenID Connect provider. Every visitor is the person set last. */
export type TestOidcProvider = {
  settings: IdentityProviderSettings;
  /** Registers a Parley as a client, once its address is known. `id`: of this provider there. */
  registerClient: (parley: string, id?: string, clientAuthMethods?: ClientAuthMethod[]) => void;
  /** Opens a URL of the provider as a person. Returns the query string of the redirect back to Parley. */
  visit: (url: string, person: ProviderPerson) => Promise<string>;
  /** The person that visitors are from now on, in a browser. */
  become: (person: ProviderPerson) => void;
  /** Handles requests instead of the provider; null ends this. */
  intercept: (how: ((request: IncomingMessage, response: ServerResponse) => boolean) | null) => void;
  /**
   * Sets the claims of ID tokens; null restores the original ones. Parley gets tokens directly from the provider over
   * TLS, where openid-client does not check the signature.
   */
  overrideClaims: (claims: Readonly<Record<string, unknown>> | null) => void;
  stop: () => Promise<void>;
};

/** Running providers, by issuer. */
const running = new Map<string, TestOidcProvider>();

/** Opens a URL of any running provider as a person with this email address. */
export async function signInAtProvider(url: string, email: string): Promise<string> {
  const provider = running.get(new URL(url).origin);
  if (provider === undefined) throw new Error(`no provider is running at ${url}`);
  return provider.visit(url, { subject: `subject of ${email}`, email, email_verified: true, name: 'Pat' });
}

export async function startOidcProvider(): Promise<TestOidcProvider> {
  let provider: Provider | undefined;
  let disturbance: Parameters<TestOidcProvider['intercept']>[0] = null;
  let claims: Readonly<Record<string, unknown>> | null = null;
  let visitor: ProviderPerson = { subject: 'nobody' };
  const people = new Map<string, ProviderPerson>();
  const server = createServer((request, response) => {
    if (disturbance?.(request, response) === true) return;
    if (claims !== null && request.url === '/token') changeAnswer(response, claims);
    if (request.url?.startsWith('/enter/') === true) void enter(request, response);
    else void provider?.callback()(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const settings = { issuer, clientId: 'parley', clientSecret: 'a secret of the two', name: 'Example' };

  async function enter(request: IncomingMessage, response: ServerResponse) {
    people.set(visitor.subject, visitor);
    const result = { login: { accountId: visitor.subject } };
    await provider?.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
  }

  const started: TestOidcProvider = {
    settings,
    registerClient(parley, id = environmentProviderId, clientAuthMethods) {
      provider = new Provider(issuer, {
        clients: [
          {
            client_id: settings.clientId,
            client_secret: settings.clientSecret,
            redirect_uris: [`${parley}${providerCallbackPath(id)}`],
          },
        ],
        ...(clientAuthMethods && { clientAuthMethods }),
        pkce: { required: () => true },
        claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
        // In seconds. The provider warns on standard output about each one that is not set.
        ttl: { AccessToken: 600, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
        features: { devInteractions: { enabled: false } },
        interactions: { url: (_, { uid }) => `/enter/${uid}` },
        cookies: { keys: ['a key of the provider'] },
        findAccount: (_, accountId) => ({
          accountId,
          claims: () => {
            const { subject, ...claims } = people.get(accountId) ?? { subject: accountId };
            return { sub: subject, ...claims };
          },
        }),
        async loadExistingGrant(context) {
          const grant = new context.oidc.provider.Grant({
            clientId: settings.clientId,
            accountId: context.oidc.session?.accountId ?? '',
          });
          grant.addOIDCScope('openid email profile');
          await grant.save();
          return grant;
        },
      });
    },
    async visit(url, person) {
      visitor = person;
      return followRedirects(url, issuer);
    },
    become: (person) => void (visitor = person),
    intercept: (how) => (disturbance = how),
    overrideClaims: (changed) => (claims = changed),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        // Browsers keep theirs open.
        server.closeAllConnections();
      }),
  };
  running.set(issuer, started);
  return started;
}

/** Changes the claims of the ID token in a response before it is sent. */
function changeAnswer(response: ServerResponse, changed: Readonly<Record<string, unknown>>): void {
  const end = response.end.bind(response) as (body: string) => ServerResponse;
  response.end = ((body: string | Buffer) => {
    const tokens = JSON.parse(String(body)) as { id_token: string };
    const [header = '', payload = '', signature = ''] = tokens.id_token.split('.');
    const claims = { ...JSON.parse(Buffer.from(payload, 'base64url').toString()), ...changed };
    const written = Buffer.from(JSON.stringify(claims)).toString('base64url');
    const answer = JSON.stringify({ ...tokens, id_token: [header, written, signature].join('.') });
    response.setHeader('content-length', Buffer.byteLength(answer));
    return end(answer);
  }) as ServerResponse['end'];
}

/** Follows redirects with cookies, as a browser does, until they leave the provider. */
async function followRedirects(url: string, issuer: string): Promise<string> {
  const cookies = new Map<string, string>();
  let next = url;
  for (let steps = 0; steps < 10; steps++) {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
    const response = await fetch(next, { redirect: 'manual', headers: { cookie } });
    await response.arrayBuffer();
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    if (location === null) throw new Error(`the provider responded ${response.status} at ${next}`);
    next = new URL(location, next).href;
    if (!next.startsWith(issuer)) return new URL(next).search;
  }
  throw new Error('the provider redirects in a loop');
}
