import { html, raw } from 'hono/html';
import { getButtonColors } from '#shared/core/site-style.ts';
import type { UnsubscribeScope } from '#shared/notifications/preferences.ts';
import { questionPath } from '#shared/posts/question-paths.ts';
import type { DigestQuestion } from './email-queries.ts';

/** The content of an email as text and HTML. Member text is escaped, never markup. */
export type EmailContent = { subject: string; text: string; html: string };

/** A line of an email with a link. `link` is a path within the site. */
type EmailLine = { text: string; link: string };

type EmailSection = { heading: string | null; lines: EmailLine[]; more: string | null };

/** What emails show of the site: its name, its address such as 'https://ask.example.org', and the setting `accentColor`. */
export type EmailSite = { siteName: string; site: string; accentColor: string };

/** The absolute URLs in an email, and the look of the site. */
export type EmailLinks = EmailSite & { unsubscribe: string };

/** A new notification: the latest one, and the number of all. */
export function buildInstantEmail(
  { items, total }: { items: { message: string; link: string }[]; total: number },
  links: EmailLinks,
  scope: UnsubscribeScope,
): EmailContent {
  const [only] = items;
  const subject =
    total === 1 && only !== undefined
      ? only.message
      : `You have ${total} new notifications on ${links.siteName}`;
  return buildNotificationEmail({
    subject,
    parts: [
      {
        heading: null,
        lines: items.map(({ message, link }) => ({ text: message, link })),
        more: describeRemaining(items, total),
      },
    ],
    why: describeReason(scope),
    links,
  });
}

/** The notifications of a day or a week. */
export function buildDigestEmail(
  period: 'daily' | 'weekly',
  content: { items: { message: string; link: string }[]; total: number; questions: DigestQuestion[] },
  links: EmailLinks,
): EmailContent {
  const { items, total, questions } = content;
  const parts: EmailSection[] = [];
  if (items.length > 0)
    parts.push({
      heading: 'Unread notifications',
      lines: items.map(({ message, link }) => ({ text: message, link })),
      more: describeRemaining(items, total),
    });
  if (questions.length > 0)
    parts.push({
      heading: 'Top questions in topics you follow',
      lines: questions.map(({ id, title, answers, upvotes }) => ({
        text: `${title} (${pluralize(upvotes, 'upvote')}, ${pluralize(answers, 'answer')})`,
        link: questionPath(id, title),
      })),
      more: null,
    });
  return buildNotificationEmail({
    subject: `Your ${period} digest from ${links.siteName}`,
    parts,
    why: describeReason(period),
    links,
  });
}

/** Asks a member to confirm an email address. No notifications are emailed to it before. */
export function buildConfirmationEmail({ link, ...look }: EmailSite & { link: string }): EmailContent {
  const subject = 'Confirm your email address';
  // Contains no text of the person who registered, because the address may belong to someone else.
  const why = `An account on ${look.site} was set up with this email address. To confirm it, open this link within a day and click the button:`;
  const otherwise = "If this wasn't you, ignore this email.";
  return {
    subject,
    text: `${why}\n\n${link}\n\n${otherwise}\n`,
    html: renderPage(
      look,
      html`<p style="${paragraph}">${why}</p>
        <p style="${paragraph}"><a href="${link}" style="${button(look)}">Confirm email address</a></p>
        <p style="${small}">${otherwise}</p>`,
    ),
  };
}

/** An email with one message and at most one link. Contains no member text. */
export function buildSimpleEmail(of: {
  subject: string;
  paragraphs: readonly string[];
  action: { label: string; link: string } | null;
  small: string;
  site: EmailSite;
}): EmailContent {
  const { subject, paragraphs, action, small: last, site } = of;
  return {
    subject,
    text: `${[...paragraphs, ...(action === null ? [] : [action.link]), last].join('\n\n')}\n`,
    html: renderPage(
      site,
      html`${paragraphs.map((text) => html`<p style="${paragraph}">${text}</p>`)}
        ${action === null ? '' : html`<p style="${paragraph}"><a href="${action.link}" style="${button(site)}">${action.label}</a></p>`}
        <p style="${small}">${last}</p>`,
    ),
  };
}

/** The message to a member who is warned or suspended. `until` is in UTC. */
export function buildModerationEmail(of: {
  kind: 'warning' | 'suspension';
  reason: string;
  until: Date | null;
  site: EmailSite;
}): EmailContent {
  const { kind, reason, until, site: look } = of;
  const { site, siteName } = look;
  const subject =
    kind === 'warning'
      ? `Warning from the moderators of ${siteName}`
      : `Your account on ${siteName} is suspended`;
  const what =
    kind === 'warning'
      ? 'You have received a warning from the moderators:'
      : `Your account is suspended until ${until?.toISOString().slice(0, 16).replace('T', ' ')} UTC. You can read but not post. Reason:`;
  const why = toSingleLine(reason);
  return {
    subject,
    text: `${what}\n\n${why}\n\n${site}/\n`,
    html: renderPage(
      look,
      html`<p style="${paragraph}">${what}</p>
        <p dir="auto" style="${paragraph}">${why}</p>
        <p style="${paragraph}"><a href="${site}/" style="${link}">${site}/</a></p>`,
    ),
  };
}

function buildNotificationEmail(of: {
  subject: string;
  parts: EmailSection[];
  why: string;
  links: EmailLinks;
}): EmailContent {
  const { subject, parts: sections, why, links } = of;
  const change = `${links.site}/settings#notifications`;
  const text = [
    ...sections.map(({ heading, lines, more }) =>
      [
        ...(heading === null ? [] : [`${heading}\n`]),
        ...lines.map((line) => `${toSingleLine(line.text)}\n${links.site}${line.link}\n`),
        ...(more === null ? [] : [`${more}\n${links.site}/notifications\n`]),
      ].join('\n'),
    ),
    `--\n${why}\nChange email preferences: ${change}\nUnsubscribe: ${links.unsubscribe}`,
  ].join('\n');
  const body = html`${sections.map((part) => renderSection(part, links))}
    <p style="${small}">
      ${why}<br /><a href="${change}" style="${quiet}">Change email preferences</a> ·
      <a href="${links.unsubscribe}" style="${quiet}">Unsubscribe</a>
    </p>`;
  return { subject, text: `${text}\n`, html: renderPage(links, body) };
}

function renderSection({ heading, lines, more }: EmailSection, { site }: EmailLinks) {
  return html`${heading === null ? '' : html`<h2 style="${title}">${heading}</h2>`}
    <ul style="margin:0 0 24px;padding:0;list-style:none">
      ${lines.map(
        (line) =>
          html`<li style="${item}">
            <a dir="auto" href="${site}${line.link}" style="${link}">${toSingleLine(line.text)}</a>
          </li>`,
      )}
    </ul>
    ${more === null ? '' : html`<p style="${paragraph}"><a href="${site}/notifications" style="${link}">${more}</a></p>`}`;
}

/** Loads no images, fonts or style sheets, so nothing reveals that the email was read. */
function renderPage({ siteName }: EmailSite, body: ReturnType<typeof html>): string {
  const whole = html`${raw('<!doctype html>')}
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <meta name="color-scheme" content="light dark" />
        <title>${siteName}</title>
      </head>
      <body
        style="margin:0;padding:24px 16px;font-family:system-ui,-apple-system,'Segoe UI',Roboto,Arial,sans-serif;line-height:1.5"
      >
        <div style="max-width:560px;margin:0 auto">
          <p style="margin:0 0 20px;font-weight:700;font-size:20px">${siteName}</p>
          ${body}
        </div>
      </body>
    </html> `;
  if (whole instanceof Promise) throw new Error('an email part is still a promise');
  // Converts the helper's String object to a plain string.
  return whole.toString();
}

const paragraph = 'margin:0 0 20px;font-size:16px';
const title = 'margin:0 0 8px;font-size:17px';
const item = 'padding:10px 0;border-bottom:1px solid #8886;font-size:16px;overflow-wrap:anywhere';
// Uses the email program's own colours, for light and dark backgrounds.
const link = 'color:inherit;font-weight:600;text-underline-offset:3px';
const quiet = 'color:inherit';
const small = 'margin:24px 0 0;font-size:13px;opacity:.8';
/** In the accent color of the light theme. */
function button({ accentColor }: EmailSite): string {
  const { 'accent-fill': fill, 'on-accent': text } = getButtonColors(accentColor);
  return `display:inline-block;padding:12px 20px;border-radius:8px;background:${fill};color:${text};text-decoration:none`;
}

function describeRemaining(items: unknown[], total: number): string | null {
  const more = total - items.length;
  if (more <= 0) return null;
  return more === 1 ? '1 more notification' : `${more} more notifications`;
}

/** Reduces member text to one line, so that it cannot imitate lines of the email. */
const toSingleLine = (text: string) =>
  text
    .toWellFormed()
    .replace(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();

const pluralize = (count: number, word: string) => (count === 1 ? `1 ${word}` : `${count} ${word}s`);

function describeReason(scope: UnsubscribeScope): string {
  const messages: Record<UnsubscribeScope, string> = {
    answers: 'You receive this email because you subscribed to emails about answers to your questions.',
    followed:
      'You receive this email because you subscribed to emails about answers to questions you follow.',
    replies: 'You receive this email because you subscribed to emails about replies and comments.',
    mentions: 'You receive this email because you subscribed to mention emails.',
    accepted: 'You receive this email because you subscribed to emails about accepted answers.',
    votes: 'You receive this email because you subscribed to vote emails.',
    moderation: 'You receive this email because you subscribed to emails about the review queue.',
    instant: 'You receive this email because you subscribed to instant emails.',
    daily: 'You receive this email because you subscribed to the daily digest.',
    weekly: 'You receive this email because you subscribed to the weekly digest.',
  };
  return messages[scope];
}
