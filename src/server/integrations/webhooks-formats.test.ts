import { expect, test } from 'vitest';
import type { WebhookFormat } from '#shared/integrations/webhook-events.ts';
import { renderWebhookBody } from './webhooks-formats.ts';
import type { WebhookPayload, WebhookQuestion } from './webhooks-payloads.ts';

const question: WebhookQuestion = {
  id: 7,
  title: 'Does bread freeze?',
  url: 'https://ask.example.org/question/7/does-bread-(really)-freeze',
  tags: ['css', 'c_sharp'],
  author: { id: 3, name: 'Ann', url: 'https://ask.example.org/profile/3' },
  excerpt: '',
  createdAt: '2026-11-26T11:30:00.000Z',
  editedAt: null,
};

function render(format: WebhookFormat, changes: Partial<WebhookQuestion> = {}, language: 'en' | 'de' = 'en') {
  const payload: WebhookPayload = {
    type: 'question.posted',
    timestamp: question.createdAt,
    data: { question: { ...question, ...changes } },
  };
  return renderWebhookBody(payload, { format, language });
}

const url = 'https://ask.example.org/question/7/does-bread-(really)-freeze';
const profile = 'https://ask.example.org/profile/3';
const escapedUrl = 'https://ask.example.org/question/7/does-bread-%28really%29-freeze';

test.each([
  ['slack', 'text', `New question in #css, #c\u200b_sharp by <${profile}|Ann>: <${url}|Does bread freeze?>`],
  [
    'mattermost',
    'text',
    String.raw`New question in \#css, \#c\_sharp by [Ann](${profile}): [Does bread freeze?](${escapedUrl})`,
  ],
  [
    'discord',
    'content',
    String.raw`New question in \#css, \#c\_sharp by [Ann](<${profile}>): [Does bread freeze?](<${escapedUrl}>)`,
  ],
] as const)('a message for %s links the question and names tags and author', (format, field, text) => {
  expect((JSON.parse(render(format)) as Record<string, unknown>)[field]).toBe(text);
});

test('a message for Microsoft Teams is an adaptive card', () => {
  const { type, attachments } = JSON.parse(render('teams')) as {
    type: string;
    attachments: { contentType: string; content: { type: string; body: { text: string }[] } }[];
  };
  expect([type, attachments[0]?.contentType, attachments[0]?.content.type]).toEqual([
    'message',
    'application/vnd.microsoft.card.adaptive',
    'AdaptiveCard',
  ]);
  expect(attachments[0]?.content.body[0]?.text).toContain(`[Does bread freeze?](${escapedUrl})`);
});

test.each([
  ['slack', /<(?:!channel|https:\/\/evil)/u],
  ['mattermost', /(?<!\\)(?:<https:\/\/evil|\[click)/u],
  ['discord', /(?<!\\)(?:<https:\/\/evil|\[click)/u],
  ['teams', /(?<!\\)(?:<https:\/\/evil|\[click)/u],
] as const)('a title has no markup and no mention in %s', (format, markup) => {
  const title = '<!channel> @all [click](https://evil.example) <https://evil.example|here>';
  const body = render(format, { title, author: { id: 4, name: '@here', url: null } });
  // The message as the chat reads it.
  const text = body.replaceAll('\\\\', '\\');
  expect(text).toContain('click');
  expect(text).not.toMatch(/@(?:all|here)/u);
  expect(text).not.toMatch(markup);
});

test.each([
  ['slack', 'text', { unfurl_links: false, unfurl_media: false }],
  ['mattermost', 'text', {}],
  ['discord', 'content', { flags: 4 }],
] as const)(
  'a name or a title is no address and has no markup of its own in %s',
  (format, field, settings) => {
    const changes = {
      title: 'See https://evil.example/a',
      author: { id: 4, name: '*b* https://evil.example/cat.png', url: null },
    };
    const message = JSON.parse(render(format, changes)) as Record<string, unknown>;
    expect(message[field]).toContain('evil.example/cat.png');
    expect(message[field]).not.toMatch(/:\/\/evil|(?:^|\s)\*b/u);
    expect(message).toMatchObject(settings);
  },
);

test('a message for Discord has at most 2,000 characters', () => {
  const author = { id: 3, name: '*'.repeat(300), url: profile };
  const tags = Array.from({ length: 5 }, (_, n) => `${n}${'*'.repeat(34)}`);
  const longUrl = `https://ask.example.org/question/7/${encodeURIComponent('字'.repeat(60))}`;
  const { content } = JSON.parse(
    render('discord', { title: '*'.repeat(300), author, tags, url: longUrl }),
  ) as { content: string };
  expect(content.length).toBeLessThanOrEqual(2_000);
  expect(content.endsWith(`(<${longUrl}>)`)).toBe(true);
  const imported = Array.from({ length: 20 }, (_, n) => `${n}${'*'.repeat(100)}`);
  const { content: cut } = JSON.parse(render('discord', { tags: imported })) as { content: string };
  expect(cut).toHaveLength(2_000);
});

test('the standard format is the event itself', () => {
  expect(JSON.parse(render('standard'))).toMatchObject({ type: 'question.posted', data: { question } });
});

test('a message about a new member links the profile', () => {
  const member = {
    id: 9,
    name: 'Eve',
    url: 'https://ask.example.org/profile/9',
    createdAt: question.createdAt,
  };
  const payload = { type: 'member.joined', timestamp: question.createdAt, data: { member } };
  const { text } = JSON.parse(renderWebhookBody(payload, { format: 'slack', language: 'en' })) as {
    text: string;
  };
  expect(text).toBe('<https://ask.example.org/profile/9|Eve> has joined.');
});
