import { Hono, type MiddlewareHandler } from 'hono';
import { secureHeaders } from 'hono/secure-headers';
import { isHttps, type SiteSettings } from './site-settings.ts';

/** What they depend on. */
export type HeaderSettings = Pick<SiteSettings, 'publicUrl' | 'hsts'>;

/** What tells browsers what no page of ours does; on every answer (OWASP ASVS 5.0, chapter 3). */
export function securityHeaders(settings: HeaderSettings): MiddlewareHandler {
  const app = secureHeaders(headersFor(settings, appPolicy));
  const docs = secureHeaders(headersFor(settings, docsPolicy));
  return (c, next) => (c.req.path.startsWith('/api/docs') ? docs(c, next) : app(c, next));
}

/** The same headers, by their names, for answers that do not pass there. */
export async function getSecurityHeaders(
  settings: HeaderSettings,
  path: string,
): Promise<Record<string, string>> {
  const bare = new Hono().use(securityHeaders(settings)).get(path, (c) => c.body(null));
  return Object.fromEntries((await bare.request(path)).headers);
}

type Policy = NonNullable<Parameters<typeof secureHeaders>[0]>['contentSecurityPolicy'] & object;

/**
 * Scripts and styles are files of this server, and nothing else is loaded from anywhere. React sets styles through the
 * CSSOM, which a policy lets be; text that members write is never markup, and trusted types see to it that no string
 * becomes markup or a script by itself (src/web/core/csp.ts).
 */
const appPolicy: Policy = {
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  // The hash is that of the one style element there is: Mantine's, which stops transitions while the theme changes.
  styleSrc: ["'self'", "'sha256-YnKuEvjaN783x0dCI08wT+XSJaOmEZ29BpHKUGflcY0='"],
  imgSrc: ["'self'"],
  fontSrc: ["'self'"],
  connectSrc: ["'self'"],
  workerSrc: ["'self'"],
  manifestSrc: ["'self'"],
  baseUri: ["'none'"],
  formAction: ["'self'"],
  frameAncestors: ["'none'"],
  requireTrustedTypesFor: ["'script'"],
  trustedTypes: ['default', 'paste', 'lines'],
};

/** The reference of the API is Swagger UI as it comes: it has pictures in its style sheet, and knows no trusted types. */
const { requireTrustedTypesFor: _, trustedTypes: __, ...loaded } = appPolicy;
const docsPolicy: Policy = { ...loaded, imgSrc: ["'self'", 'data:'] };

const year = 365 * 24 * 60 * 60;

function headersFor(settings: HeaderSettings, contentSecurityPolicy: Policy) {
  return {
    contentSecurityPolicy,
    // Where somebody reads here is nobody's business elsewhere.
    referrerPolicy: 'same-origin',
    xFrameOptions: 'DENY',
    crossOriginOpenerPolicy: 'same-origin',
    crossOriginResourcePolicy: 'same-origin',
    crossOriginEmbedderPolicy: 'require-corp',
    permissionsPolicy: Object.fromEntries(disabledFeatures.map((feature) => [feature, []])),
    strictTransportSecurity: strictTransportSecurity(settings),
  };
}

/** A laptop on http must not be locked out, nor other sites below the same name that have no TLS. */
function strictTransportSecurity(settings: HeaderSettings): string | false {
  if (!isHttps(settings) || settings.hsts === 'off') return false;
  return `max-age=${year}${settings.hsts === 'subdomains' ? '; includeSubDomains' : ''}`;
}

/** What pages never ask a browser for, so that nothing that finds its way into one can. */
const disabledFeatures = [
  'accelerometer',
  'autoplay',
  'browsingTopics',
  'camera',
  'displayCapture',
  'encryptedMedia',
  'geolocation',
  'gyroscope',
  'hid',
  'idleDetection',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'pictureInPicture',
  'screenWakeLock',
  'serial',
  'syncXhr',
  'usb',
  'windowManagement',
  'xrSpatialTracking',
] as const;
