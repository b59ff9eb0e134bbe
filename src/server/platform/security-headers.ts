import { Hono } from 'hono';
import { secureHeaders } from 'hono/secure-headers';

/** What tells browsers what no page of ours does; on every answer. */
export const security = secureHeaders({
  contentSecurityPolicy: {
    defaultSrc: ["'self'"],
    scriptSrc: ["'self'"],
    // Mantine sets style attributes and style elements at run time.
    styleSrc: ["'self'", "'unsafe-inline'"],
    imgSrc: ["'self'", 'data:'],
    fontSrc: ["'self'", 'data:'],
    connectSrc: ["'self'"],
    workerSrc: ["'self'"],
    manifestSrc: ["'self'"],
    objectSrc: ["'none'"],
    baseUri: ["'none'"],
    formAction: ["'self'"],
    frameAncestors: ["'none'"],
  },
  referrerPolicy: 'strict-origin-when-cross-origin',
  xFrameOptions: 'DENY',
  crossOriginOpenerPolicy: 'same-origin',
  crossOriginResourcePolicy: 'same-origin',
  // Set by the proxy that ends TLS; a laptop on http must not be locked out.
  strictTransportSecurity: false,
});

/** The same headers, by their names, for answers that do not pass there. */
export async function securityHeadersOf(path: string): Promise<Record<string, string>> {
  const bare = new Hono().use(security).get(path, (c) => c.body(null));
  return Object.fromEntries((await bare.request(path)).headers);
}
