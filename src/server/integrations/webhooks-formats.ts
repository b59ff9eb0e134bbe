import { translate } from '#server/notifications/index.ts';
import type { Language } from '#shared/core/languages.ts';
import { truncateWithEllipsis } from '#shared/core/text.ts';
import type { WebhookFormat } from '#shared/integrations/webhook-events.ts';
import type { SentTextId } from '#shared/notifications/sent-texts.ts';
import type { WebhookPayload, WebhookPost } from './webhooks-payloads.ts';

type ChatFormat = Exclude<WebhookFormat, 'standard'>;

/** The parts of a message, in the markup of a chat. */
type ChatMarkup = {
  escape: (text: string) => string;
  link: (text: string, url: string) => string;
  /** The request body of the incoming web hook. */
  body: (text: string) => object;
};

/** Characters of a title or a name in a message. Markup characters in it count twice. */
const maxTextLength = 200;

/** Discord refuses longer messages. Only imported names of many markup characters reach it. */
const maxDiscordLength = 2_000;

/** The request body for a format. Chat messages are in the language of the community. */
export function renderWebhookBody(
  payload: WebhookPayload,
  { format, language }: { format: WebhookFormat; language: Language },
): string {
  return JSON.stringify(format === 'standard' ? payload : renderMessage(payload, format, language));
}

function renderMessage({ type, data }: WebhookPayload, format: ChatFormat, language: Language): object {
  const { escape, link, body } = chats[format];
  const { question, answer, reply, member, webhook } = data;
  if (member !== undefined) {
    const name = truncateWithEllipsis(member.name, maxTextLength);
    return body(translate(language, 'chat.member.joined', { member: link(escape(name), member.url) }));
  }
  if (question === undefined || !('title' in question))
    return body(translate(language, 'chat.test', { name: escape(webhook?.name ?? '') }));
  const post = reply ?? answer ?? question;
  const { author, url } = isShown(post) ? post : question;
  const title = truncateWithEllipsis(question.title, maxTextLength);
  const name = escape(truncateWithEllipsis(author.name, maxTextLength));
  const text = translate(language, `chat.${type}` as SentTextId, {
    question: link(escape(title), url),
    // As a link, a name is not an address of its own in the chat.
    author: author.url === null ? name : link(name, author.url),
    tags: question.tags.map((tag) => escape(`#${tag}`)).join(', '),
  });
  return body(text);
}

/** Whether a post has its content, and not only its id. */
const isShown = (post: WebhookPost | { id: number }): post is WebhookPost => 'author' in post;

/**
 * A mention such as @channel does not notify members of the chat, and an address in a title or a name is no link: an
 * invisible character separates their parts.
 */
const breakReferences = (text: string) => text.replaceAll('@', '@\u200b').replaceAll('://', ':\u200b//');

const escapeMarkdown = (text: string) =>
  breakReferences(text).replaceAll(/[\\`*_~[\]()<>|#]/gu, String.raw`\$&`);

/** Parentheses end the address of a link. */
const escapeAddress = (url: string) => url.replaceAll('(', '%28').replaceAll(')', '%29');

const chats: Readonly<Record<ChatFormat, ChatMarkup>> = {
  // https://api.slack.com/reference/surfaces/formatting#escaping
  slack: {
    escape: (text) =>
      breakReferences(text)
        .replaceAll('&', '&amp;')
        .replaceAll('<', '&lt;')
        .replaceAll('>', '&gt;')
        // Slack has no escapes for its markup, and ignores it within a word.
        .replaceAll(/[*_~`]/gu, '\u200b$&'),
    link: (text, url) => `<${url}|${text.replaceAll('|', '¦')}>`,
    body: (text) => ({ text, unfurl_links: false, unfurl_media: false }),
  },
  // https://developers.mattermost.com/integrate/webhooks/incoming
  mattermost: {
    escape: escapeMarkdown,
    link: (text, url) => `[${text}](${escapeAddress(url)})`,
    body: (text) => ({ text }),
  },
  // https://discord.com/developers/docs/resources/webhook#execute-webhook
  discord: {
    escape: escapeMarkdown,
    link: (text, url) => `[${text}](<${escapeAddress(url)}>)`,
    body: (text) => ({
      content: text.slice(0, maxDiscordLength),
      allowed_mentions: { parse: [] },
      // SUPPRESS_EMBEDS
      flags: 4,
    }),
  },
  // https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using
  teams: {
    escape: escapeMarkdown,
    link: (text, url) => `[${text}](${escapeAddress(url)})`,
    body: (text) => ({
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          contentUrl: null,
          content: {
            $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
            type: 'AdaptiveCard',
            version: '1.4',
            body: [{ type: 'TextBlock', text, wrap: true }],
          },
        },
      ],
    }),
  },
};
