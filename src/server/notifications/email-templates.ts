import { html, raw } from 'hono/html';
import { renderPostHtml } from '#server/core/post-html.ts';
import { isLanguage, type Language } from '#shared/core/languages.ts';
import { getButtonColors } from '#shared/core/site-style.ts';
import { getTextDirection } from '#shared/core/text.ts';
import type { NotificationKind } from '#shared/notifications/notification-kinds.ts';
import type { UnsubscribeScope } from '#shared/notifications/preferences.ts';
import { questionPath } from '#shared/posts/question-paths.ts';
import { getLogoAddress } from './email-logo.ts';
import { createMarkerLine } from './email-replies-quotes.ts';
import type { DigestQuestion } from './email-queries.ts';
import { formatTime, isolate, translate, translateNotification } from './sent-texts.ts';

/** The content of an email as text and HTML. Markup of members is escaped, as on the site. */
export type EmailContent = { subject: string; text: string; html: string };

/** A line of an email with a link. `link` is a path within the site. */
type EmailLine = { text: string; link: string };

type EmailSection = { heading: string | null; lines: EmailLine[]; more: string | null };

/** What emails show of the site, in the language of the email. */
export type EmailSite = {
  siteName: string;
  /** Such as 'https://ask.example.org'. */
  site: string;
  /** The setting `accentColor`. */
  accentColor: string;
  /** The setting `logo`; the delivery attaches the picture (email-logo.ts). */
  logo: string;
  language: Language;
};

/** The site in the language of a recipient, if they have one. */
export const inLanguage = <Site extends { language: Language }>(site: Site, language: string | null): Site =>
  language !== null && isLanguage(language) ? { ...site, language } : site;

/** The absolute URLs in an email, and the look of the site. */
export type EmailLinks = EmailSite & { unsubscribe: string };

/** A notification in an email. `link` is a path within the site. */
export type EmailedNotification = { kind: NotificationKind; name: string; title: string; link: string };

/** The post of the only notification of an email that can be replied to. */
export type EmailedPost = {
  /** The beginning of the post as Markdown. */
  text: string;
  /** What a reply becomes: a comment, or an answer to the question. */
  becomes: 'comment' | 'answer';
};

/** A new notification: the latest one, and the number of all. */
export function buildInstantEmail(
  { items, total, post }: { items: EmailedNotification[]; total: number; post?: EmailedPost | undefined },
  links: EmailLinks,
  scope: UnsubscribeScope,
): EmailContent {
  const { language, siteName } = links;
  const lines = toLines(items, language);
  const [only] = lines;
  const subject =
    total === 1 && only !== undefined
      ? only.text
      : translate(language, 'email.instant.subject', { count: total, siteName });
  return buildNotificationEmail({
    subject,
    parts: [{ heading: null, lines, more: describeRemaining(items, total, language) }],
    post,
    scope,
    links,
  });
}

/** The notifications of a day or a week. */
export function buildDigestEmail(
  period: 'daily' | 'weekly',
  content: { items: EmailedNotification[]; total: number; questions: DigestQuestion[] },
  links: EmailLinks,
): EmailContent {
  const { items, total, questions } = content;
  const { language, siteName } = links;
  const parts: EmailSection[] = [];
  if (items.length > 0)
    parts.push({
      heading: translate(language, 'email.digest.unread'),
      lines: toLines(items, language),
      more: describeRemaining(items, total, language),
    });
  if (questions.length > 0)
    parts.push({
      heading: translate(language, 'email.digest.questions'),
      lines: questions.map(({ id, title, answers, upvotes }) => ({
        text: translate(language, 'email.digest.question', {
          title: isolate(language, title),
          upvotes,
          answers,
        }),
        link: questionPath(id, title),
      })),
      more: null,
    });
  return buildNotificationEmail({
    subject: translate(language, `email.${period}.subject`, { siteName }),
    parts,
    scope: period,
    links,
  });
}

const toLines = (items: EmailedNotification[], language: Language): EmailLine[] =>
  items.map(({ link, ...item }) => ({ text: translateNotification(language, item), link }));

/**
 * Asks a member to confirm an email address. No notifications are emailed to it before. Contains no text of the person
 * who registered, because the address may belong to someone else.
 */
export function buildConfirmationEmail({ link, ...site }: EmailSite & { link: string }): EmailContent {
  const { language } = site;
  return buildSimpleEmail({
    site,
    subject: translate(language, 'email.confirm.subject'),
    paragraphs: [translate(language, 'email.confirm.text', { site: site.site })],
    action: { label: translate(language, 'email.confirm.action'), link },
    small: translate(language, 'email.ignore'),
  });
}

/** An admin sends it to see whether emails arrive. */
export function buildTestEmail(site: EmailSite): EmailContent {
  const { language, siteName, site: address } = site;
  return buildSimpleEmail({
    site,
    subject: translate(language, 'email.test.subject', { siteName }),
    paragraphs: [translate(language, 'email.test.text', { site: address })],
    action: null,
    small: null,
  });
}

/** An email with one message and at most one link. Contains no member text. */
export function buildSimpleEmail(of: {
  subject: string;
  paragraphs: readonly string[];
  action: { label: string; link: string } | null;
  small: string | null;
  site: EmailSite;
}): EmailContent {
  const { subject, paragraphs, action, small: last, site } = of;
  const parts = [...paragraphs, ...(action === null ? [] : [action.link]), ...(last === null ? [] : [last])];
  return {
    subject,
    text: `${parts.join('\n\n')}\n`,
    html: renderPage(
      site,
      html`${paragraphs.map((text) => html`<p style="${paragraph}">${text}</p>`)}
      ${action === null ? '' : html`<p style="${paragraph}"><a href="${action.link}" style="${button(site)}">${action.label}</a></p>`}
      ${last === null ? '' : html`<p style="${small}">${last}</p>`}`,
    ),
  };
}

/** The message to a member who is warned or suspended. */
export function buildModerationEmail(of: {
  kind: 'warning' | 'suspension';
  reason: string;
  until: Date | null;
  site: EmailSite;
}): EmailContent {
  const { kind, reason, until, site: look } = of;
  const { site, siteName, language } = look;
  const what = translate(language, `email.${kind}.text`, {
    until: until === null ? '' : formatTime(language, until),
  });
  const why = toSingleLine(reason);
  return {
    subject: translate(language, `email.${kind}.subject`, { siteName }),
    text: `${what}\n\n${why}\n\n${site}/\n`,
    html: renderPage(
      look,
      html`<p style="${paragraph}">${what}</p>
        <p dir="auto" style="${paragraph}">${why}</p>
        <p style="${paragraph}"><a href="${site}/" style="${link(look)}">${site}/</a></p>`,
    ),
  };
}

/** Returns a reply by email to its author, with the reason why it was not posted. */
export function buildRefusedReplyEmail(of: {
  site: EmailSite;
  reason: string;
  /** Null if the question is gone. */
  question: { title: string; path: string } | null;
  /** The author's own text; may be empty. */
  text: string;
}): EmailContent {
  const { site: look, reason, question, text } = of;
  const { language, siteName, site } = look;
  const what = translate(language, 'email.refused-reply.text', { siteName });
  const own = translate(language, 'email.refused-reply.own-text');
  const parts = [
    what,
    reason,
    ...(question === null ? [] : [`${toSingleLine(question.title)}\n${site}${question.path}`]),
    ...(text === '' ? [] : [`${own}\n\n${toQuote(text)}`]),
  ];
  return {
    subject: translate(language, 'email.refused-reply.subject'),
    text: `${parts.join('\n\n')}\n`,
    html: renderPage(
      look,
      html`<p style="${paragraph}">${what}</p>
        <p style="${paragraph}">${reason}</p>
        ${question === null ? '' : html`<p style="${paragraph}"><a dir="auto" href="${site}${question.path}" style="${link(look)}">${toSingleLine(question.title)}</a></p>`}
        ${
          text === ''
            ? ''
            : html`<p style="${paragraph}">${own}</p>
                ${renderText(text)}`
        }`,
    ),
  };
}

function buildNotificationEmail(of: {
  subject: string;
  parts: EmailSection[];
  post?: EmailedPost | undefined;
  scope: UnsubscribeScope;
  links: EmailLinks;
}): EmailContent {
  const { subject, parts: sections, post, scope, links } = of;
  const { language } = links;
  const hint = post === undefined ? null : translate(language, `email.reply.${post.becomes}`);
  const why = translate(language, `email.reason.${scope}`);
  const preferences = translate(language, 'email.preferences');
  const unsubscribe = translate(language, 'email.unsubscribe');
  const change = `${links.site}/settings#notifications`;
  const marker = post === undefined ? null : createMarkerLine(translate(language, 'email.reply.marker'));
  const text = [
    ...(marker === null ? [] : [`${marker}\n`]),
    ...sections.map(({ heading, lines, more }) =>
      [
        ...(heading === null ? [] : [`${heading}\n`]),
        ...lines.map((line) => `${toSingleLine(line.text)}\n${links.site}${line.link}\n`),
        ...(more === null ? [] : [`${more}\n${links.site}/notifications\n`]),
      ].join('\n'),
    ),
    // Each line is quoted, so that the post cannot imitate lines of the email.
    ...(post === undefined ? [] : [`${toQuote(post.text)}\n\n${hint}\n`]),
    `--\n${why}\n${preferences}: ${change}\n${unsubscribe}: ${links.unsubscribe}`,
  ].join('\n');
  const body = html`${sections.map((part) => renderSection(part, links))}
    ${post === undefined ? '' : renderPost(post.text, links.site)}
    ${hint === null ? '' : html`<p style="${paragraph}">${hint}</p>`}
    <p style="${small}">
      ${why}<br /><a href="${change}" style="${quiet}">${preferences}</a> ·
      <a href="${links.unsubscribe}" style="${quiet}">${unsubscribe}</a>
    </p>`;
  return { subject, text: `${text}\n`, html: renderPage(links, body, marker) };
}

/** A text of a member as it was typed. */
const renderText = (text: string) =>
  html`<p dir="auto" style="${paragraph};white-space:pre-wrap;overflow-wrap:anywhere">
    ${removeControls(text)}
  </p>`;

/** The beginning of a post as its page shows it. Indented, so that the post cannot imitate lines of the email. */
const renderPost = (text: string, site: string) =>
  html`<div class="post" dir="auto" style="${quote}">
    ${raw(renderPostHtml({ markdown: removeControls(text), imported: false }, site))}
  </div>`;

/** Styles of what posts contain. Some email programs ignore them. */
const postStyles = `
.post pre { white-space: pre-wrap }
.post blockquote { margin: 0 0 16px; padding-inline-start: 12px; border-inline-start: 3px solid #8886 }
.post table { border-collapse: collapse }
.post th, .post td { padding: 4px 8px; border: 1px solid #8886 }`;

const toQuote = (text: string) => removeControls(text).replaceAll(/^/gmu, '> ');

const removeControls = (text: string) =>
  text
    .toWellFormed()
    .replaceAll(/\r\n?/gu, '\n')
    .replaceAll(/[^\P{Cc}\n\t]|[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu, '');

function renderSection({ heading, lines, more }: EmailSection, look: EmailLinks) {
  const { site } = look;
  return html`${heading === null ? '' : html`<h2 style="${title}">${heading}</h2>`}
    <ul style="margin:0 0 24px;padding:0;list-style:none">
      ${lines.map(
        (line) =>
          html`<li style="${item}">
            <a dir="auto" href="${site}${line.link}" style="${link(look)}">${toSingleLine(line.text)}</a>
          </li>`,
      )}
    </ul>
    ${more === null ? '' : html`<p style="${paragraph}"><a href="${site}/notifications" style="${link(look)}">${more}</a></p>`}`;
}

/**
 * Loads no images, fonts or style sheets, so nothing reveals that the email was read. The logo is attached.
 * @param firstLine above everything else, in emails that show a post
 */
function renderPage(look: EmailSite, body: ReturnType<typeof html>, firstLine: string | null = null): string {
  const { siteName, language, logo } = look;
  const [, width, height] = /-(\d+)x(\d+)$/u.exec(logo) ?? [];
  const picture =
    width === undefined || height === undefined
      ? ''
      : html`<img
          src="${getLogoAddress(logo)}"
          alt=""
          width="${Math.round((Number(width) * logoHeight) / Number(height))}"
          height="${logoHeight}"
          style="vertical-align:middle;margin-inline-end:10px"
        />`;
  const whole = html`${raw('<!doctype html>')}
    <html lang="${language}" dir="${getTextDirection(language)}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <meta name="color-scheme" content="light dark" />
        <title>${siteName}</title>
        ${
          firstLine === null
            ? ''
            : html`<style>
                ${raw(postStyles)}
              </style>`
        }
      </head>
      <body
        style="margin:0;padding:24px 16px;font-family:system-ui,-apple-system,'Segoe UI',Roboto,Arial,sans-serif;line-height:1.5"
      >
        <div style="max-width:560px;margin:0 auto">
          ${firstLine === null ? '' : html`<p style="${marking}">${firstLine}</p>`}
          <p
            style="margin:0 0 20px;padding:0 0 12px;border-bottom:2px solid ${getButtonColors(look.accentColor)['accent-fill']};font-weight:700;font-size:20px"
          >
            ${picture}<span dir="auto" style="vertical-align:middle">${siteName}</span>
          </p>
          ${body}
        </div>
      </body>
    </html> `;
  if (whole instanceof Promise) throw new Error('an email part is still a promise');
  // Converts the helper's String object to a plain string.
  return whole.toString();
}

/** The height of the logo in pixels, as in the top bar. */
const logoHeight = 28;

const paragraph = 'margin:0 0 20px;font-size:16px';
const quote =
  'margin:0 0 20px;padding-inline-start:12px;border-inline-start:3px solid #8886;font-size:16px;overflow-wrap:anywhere';
const title = 'margin:0 0 8px;font-size:17px';
const item = 'padding:10px 0;border-bottom:1px solid #8886;font-size:16px;overflow-wrap:anywhere';
// Texts have the email program's own colours, for light and dark backgrounds; the line below a link has the accent.
const link = ({ accentColor }: EmailSite) =>
  `color:inherit;font-weight:600;text-decoration-color:${getButtonColors(accentColor)['accent-fill']};text-underline-offset:3px`;
const quiet = 'color:inherit';
const small = 'margin:24px 0 0;font-size:13px;opacity:.8';
const marking = 'margin:0 0 16px;font-size:13px;opacity:.8';
/** In the accent color of the light theme. */
function button({ accentColor }: EmailSite): string {
  const { 'accent-fill': fill, 'on-accent': text } = getButtonColors(accentColor);
  return `display:inline-block;padding:12px 20px;border-radius:8px;background:${fill};color:${text};text-decoration:none`;
}

function describeRemaining(items: unknown[], total: number, language: Language): string | null {
  const count = total - items.length;
  return count <= 0 ? null : translate(language, 'email.more', { count });
}

/** Reduces member text to one line, so that it cannot imitate lines of the email. */
const toSingleLine = (text: string) =>
  text
    .toWellFormed()
    .replace(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
