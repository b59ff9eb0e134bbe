import { afterAll, describe, expect, test } from 'vitest';
import { startTestServer } from '#tests/support/server.ts';
import { getSecurityHeaders } from './security-headers.ts';

const server = await startTestServer();
afterAll(() => server.stop());

describe('security headers of every response', () => {
  test.each(['/api/session', '/api/feeds/recent', '/api/nothing', '/nothing', '/api/docs'])(
    'restrict what a page may do (%s)',
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

describe('strict transport security', () => {
  const readHeader = async (publicUrl: string | null, hsts: 'host' | 'subdomains' | 'off') => {
    const settings = { publicUrl, hsts };
    return (await getSecurityHeaders(settings, '/'))['strict-transport-security'];
  };

  test('is sent for this host when PUBLIC_URL is https', async () => {
    expect(await readHeader('https://ask.example.org', 'host')).toBe('max-age=31536000');
  });

  test('includes subdomains when the operator configures it', async () => {
    expect(await readHeader('https://ask.example.org', 'subdomains')).toBe(
      'max-age=31536000; includeSubDomains',
    );
  });

  test.each([
    ['when PUBLIC_URL is http', 'http://ask.example.org', 'host'],
    ['when PUBLIC_URL is not set', null, 'host'],
    ['when HSTS is off', 'https://ask.example.org', 'off'],
  ] as const)('is not sent %s', async (_, publicUrl, hsts) => {
    expect(await readHeader(publicUrl, hsts)).toBeUndefined();
  });
});
