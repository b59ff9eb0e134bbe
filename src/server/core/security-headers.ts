import { createHash } from 'node:crypto';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { secureHeaders } from 'hono/secure-headers';
import { isHttps, type OperatorSettings } from './operator-settings.ts';

/** The settings that determine the headers. */
export type HeaderSettings = Pick<OperatorSettings, 'publicUrl' | 'hsts'>;

/** Adds headers that restrict what pages may do to every response (OWASP ASVS 5.0, chapter 3). */
export function securityHeaders(settings: HeaderSettings): MiddlewareHandler {
  const app = secureHeaders(headersFor(settings, appPolicy));
  const docs = secureHeaders(headersFor(settings, docsPolicy));
  const uploads = secureHeaders(headersFor(settings, uploadPolicy));
  const embedded = secureHeaders({
    ...headersFor(settings, appPolicy),
    crossOriginResourcePolicy: 'cross-origin',
  });
  const emails = secureHeaders({ ...headersFor(settings, emailPolicy), xFrameOptions: 'SAMEORIGIN' });
  return async (c, next) => {
    const isDocs = c.req.path.startsWith('/api/docs');
    await (
      emailPreview.test(c.req.path)
        ? emails
        : isDocs
          ? docs
          : /^\/(?:uploads|branding)\//u.test(c.req.path)
            ? uploads
            : forOtherSites.test(c.req.path)
              ? embedded
              : app
    )(c, next);
    // A cache applies the headers of this status to the stored page, whose policy allows its inline code.
    if (c.res.status === 304) c.res.headers.delete('content-security-policy');
    const inline = c.get('inlineCode') as InlineCode | undefined;
    if (inline === undefined) return;
    const policy = c.res.headers.get('content-security-policy') ?? '';
    c.res.headers.set('content-security-policy', allowInPolicy(policy, inline));
  };
}

/** The hashes of the `script` and `style` elements of a page, as sources of a content security policy. */
export type InlineCode = { scripts: string; styles: string };

/** @param texts the contents of the elements */
export function hashInlineCode(texts: { scripts: readonly string[]; styles: readonly string[] }): InlineCode {
  return { scripts: hashesOf(texts.scripts), styles: hashesOf(texts.styles) };
}

/** Adds the hashes to a content security policy. */
export const allowInPolicy = (policy: string, { scripts, styles }: InlineCode): string =>
  policy.replace("script-src 'self'", `$& ${scripts}`).replace("style-src 'self'", `$& ${styles}`);

/** Allows a page to have exactly these scripts and styles inline. They contain nothing that members wrote. */
export function allowInlineCode(c: Context, code: InlineCode): void {
  c.set('inlineCode', code);
}

const hashesOf = (texts: readonly string[]) =>
  texts.map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`).join(' ');

/** The same headers by name, for responses that bypass this middleware. */
export async function getSecurityHeaders(
  settings: HeaderSettings,
  path: string,
): Promise<Record<string, string>> {
  const bare = new Hono().use(securityHeaders(settings)).get(path, (c) => c.body(null));
  return Object.fromEntries((await bare.request(path)).headers);
}

type Policy = NonNullable<Parameters<typeof secureHeaders>[0]>['contentSecurityPolicy'] & object;

/**
 * Scripts and styles come from this server only, and nothing is loaded from elsewhere. React sets styles through the
 * CSSOM, which the policy allows. Member text is never markup, and trusted types prevent strings from becoming markup
 * or scripts (src/web/core/csp.ts).
 */
const appPolicy: Policy = {
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  // The hash of the only style element: Mantine's, which disables transitions while the theme changes.
  styleSrc: ["'self'", "'sha256-YnKuEvjaN783x0dCI08wT+XSJaOmEZ29BpHKUGflcY0='"],
  imgSrc: ["'self'"],
  fontSrc: ["'self'"],
  connectSrc: ["'self'"],
  workerSrc: ["'self'"],
  manifestSrc: ["'self'"],
  // Previews of emails.
  frameSrc: ["'self'"],
  baseUri: ["'none'"],
  formAction: ["'self'"],
  frameAncestors: ["'none'"],
  requireTrustedTypesFor: ["'script'"],
  trustedTypes: ['default', 'paste', 'lines'],
};

/**
 * The API reference is the unmodified Swagger UI, which has images in its style sheet and does not support trusted
 * types.
 */
const { requireTrustedTypesFor: _, trustedTypes: __, ...loaded } = appPolicy;
const docsPolicy: Policy = { ...loaded, imgSrc: ["'self'", 'data:'] };

/**
 * The widget's script and the previews of questions, which other sites show with a link (`og:image`, oEmbed). Both exist
 * only while reading is public, and contain what visitors see.
 */
const forOtherSites = /^\/(?:widget\.js|question\/\d+\/preview\.png)$/u;

/** A file of a member, opened as a page of its own, can do nothing. */
const uploadPolicy: Policy = { defaultSrc: ["'none'"], sandbox: [] };

/** The preview of an email in a frame of the admin page. It has style attributes and the logo, and can do nothing. */
const emailPreview = /^\/api\/admin\/emails\/[\w-]+\/html$/u;
const emailPolicy: Policy = {
  defaultSrc: ["'none'"],
  styleSrc: ["'unsafe-inline'"],
  imgSrc: ['data:'],
  frameAncestors: ["'self'"],
  sandbox: [],
};

const year = 365 * 24 * 60 * 60;

function headersFor(settings: HeaderSettings, contentSecurityPolicy: Policy) {
  return {
    contentSecurityPolicy,
    // Other sites do not learn what a member reads here.
    referrerPolicy: 'same-origin',
    xFrameOptions: 'DENY',
    crossOriginOpenerPolicy: 'same-origin',
    crossOriginResourcePolicy: 'same-origin',
    crossOriginEmbedderPolicy: 'require-corp',
    permissionsPolicy: Object.fromEntries(disabledFeatures.map((feature) => [feature, []])),
    strictTransportSecurity: strictTransportSecurity(settings),
  };
}

/** Not for http, which would lock out a laptop. Not for subdomains by default, because they may have no TLS. */
function strictTransportSecurity(settings: HeaderSettings): string | false {
  if (!isHttps(settings) || settings.hsts === 'off') return false;
  return `max-age=${year}${settings.hsts === 'subdomains' ? '; includeSubDomains' : ''}`;
}

/** Browser features that no page uses. Disabling them also denies them to injected code. */
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
