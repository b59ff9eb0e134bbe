import { afterAll, describe, expect, test } from 'vitest';
import { startTestServer } from '#tests/support/server.ts';
import { getSecurityHeaders } from './security-headers.ts';

const server = await startTestServer();
afterAll(() => server.stop());

describe('every answer tells browsers', () => {
  test.each(['/api/session', '/api/feeds/recent', '/api/nothing', '/nothing', '/api/docs'])(
    'what may not happen on its page (%s)',
    async (address) => {
      const { headers } = await fetch(server.address + address);
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("script-src 'self';");
      expect(policy).not.toMatch(/unsafe-|\*|https?:/u);
      for (const forbidden of ["base-uri 'none'", "frame-ancestors 'none'", "form-action 'self'"])
        expect(policy).toContain(forbidden);
      expect(Object.fromEntries(headers)).toMatchObject({
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'same-origin',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'cross-origin-embedder-policy': 'require-corp',
        'permissions-policy': expect.stringContaining('camera=()'),
      });
      expect(headers.has('x-powered-by')).toBe(false);
      expect(headers.has('server')).toBe(false);
      expect(headers.has('access-control-allow-origin')).toBe(false);
    },
  );
});

describe('browsers are told to use https for ever', () => {
  const told = async (publicUrl: string | null, hsts: 'host' | 'subdomains' | 'off') => {
    const settings = { publicUrl, hsts };
    return (await getSecurityHeaders(settings, '/'))['strict-transport-security'];
  };

  test('of this host, where members come by https', async () => {
    expect(await told('https://ask.example.org', 'host')).toBe('max-age=31536000');
  });

  test('of the hosts below it where the operator says that all of them have TLS', async () => {
    expect(await told('https://ask.example.org', 'subdomains')).toBe('max-age=31536000; includeSubDomains');
  });

  test.each([
    ['where members come by http', 'http://ask.example.org', 'host'],
    ['where nobody knows how they come', null, 'host'],
    ['where the operator leaves it to the proxy', 'https://ask.example.org', 'off'],
  ] as const)('not %s', async (_, publicUrl, hsts) => {
    expect(await told(publicUrl, hsts)).toBeUndefined();
  });
});
