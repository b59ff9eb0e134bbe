import { createRoute, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { ProblemError } from '#server/core/errors.ts';
import { createRouter, jsonBody, jsonResponse, problemResponses, type RouteDeps } from '#server/core/http.ts';
import { getOrigin } from '#server/core/operator-settings.ts';
import { requireAdmin } from '#server/moderation/index.ts';
import { type EmailSending, type EmailSite, inlineLogo } from '#server/notifications/index.ts';
import {
  emailKind,
  type EmailKind,
  emailLanguageQuery,
  emailOverview,
  emailPreviewQuery,
  emailSample,
  testEmail,
  testEmailOutcome,
} from '#shared/admin/emails.ts';
import type { Language } from '#shared/core/languages.ts';
import { buildSampleEmail } from './email-samples.ts';
import { createTestEmails, readEmailOverview } from './emails.ts';
import { readEmailLogo } from './site-pictures.ts';

/** Checked by `findKind`, after the role of the viewer. */
const kindParam = z.object({ kind: z.string().max(40) });

const readOverview = createRoute({
  method: 'get',
  path: '/admin/emails',
  summary: 'For admins: list the kinds of emails, and whether emails can be sent',
  request: { query: emailLanguageQuery },
  responses: { 200: jsonResponse(emailOverview, 'The kinds and the state'), ...problemResponses },
});

const readSample = createRoute({
  method: 'get',
  path: '/admin/emails/{kind}',
  summary: 'For admins: get an example of an email as text',
  request: { params: kindParam, query: emailLanguageQuery },
  responses: { 200: jsonResponse(emailSample, 'The example'), ...problemResponses },
});

const readHtml = createRoute({
  method: 'get',
  path: '/admin/emails/{kind}/html',
  summary: 'For admins: get an example of an email as an HTML page that can do nothing',
  request: { params: kindParam, query: emailPreviewQuery },
  responses: {
    200: { description: 'The HTML', content: { 'text/html': { schema: z.string() } } },
    ...problemResponses,
  },
});

const sendTest = createRoute({
  method: 'post',
  path: '/admin/emails/tests',
  summary: 'For admins: send an example of an email to yourself',
  request: { body: jsonBody(testEmail) },
  responses: { 200: jsonResponse(testEmailOutcome, 'What the mail server answered'), ...problemResponses },
});

export type EmailRoutesDeps = RouteDeps & { emailSending: EmailSending | null };

export function emailRoutes({ db, settings, siteSettings, emailSending }: EmailRoutesDeps) {
  const sendTestEmail = createTestEmails(db, emailSending);
  return createRouter()
    .openapi(readOverview, async (c) => {
      requireAdmin(c.get('viewer'));
      const site = getSite(c, c.req.valid('query').language);
      return c.json(await readEmailOverview(db, { site, sending: emailSending }), 200);
    })
    .openapi(readSample, (c) => {
      requireAdmin(c.get('viewer'));
      const site = getSite(c, c.req.valid('query').language);
      const { subject, text } = buildSampleEmail(findKind(c.req.valid('param').kind), site);
      return c.json({ subject, text }, 200);
    })
    .openapi(readHtml, async (c) => {
      requireAdmin(c.get('viewer'));
      const { language, theme } = c.req.valid('query');
      const { html } = buildSampleEmail(findKind(c.req.valid('param').kind), getSite(c, language));
      const shown = await inlineLogo(html, (logo) => readEmailLogo(db, logo));
      // As a mail program shows it in this theme.
      return c.html(shown.replace('content="light dark"', `content="${theme}"`), 200);
    })
    .openapi(sendTest, async (c) => {
      const { id } = requireAdmin(c.get('viewer'));
      const { kind, language } = c.req.valid('json');
      return c.json(await sendTestEmail(id, { kind, site: getSite(c, language) }), 200);
    });

  function getSite(c: Context, language: Language): EmailSite {
    return {
      site: getOrigin(settings, new URL(c.req.url)),
      siteName: siteSettings.get('siteName'),
      accentColor: siteSettings.get('accentColor'),
      logo: siteSettings.get('logo'),
      language,
    };
  }
}

function findKind(name: string): EmailKind {
  const kind = emailKind.safeParse(name);
  if (!kind.success) throw new ProblemError('page-not-found');
  return kind.data;
}
