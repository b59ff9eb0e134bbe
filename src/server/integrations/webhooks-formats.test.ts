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
const escapedUrl = 'https://ask.example.org/question/7/does-bread-%28really%29-freeze';

test.each([
  ['slack', 'text', `New question in #css, #c_sharp by Ann: <${url}|Does bread freeze?>`],
  [
    'mattermost',
    'text',
    String.raw`New question in \#css, \#c\_sharp by Ann: [Does bread freeze?](${escapedUrl})`,
  ],
  [
    'discord',
    'content',
    String.raw`New question in \#css, \#c\_sharp by Ann: [Does bread freeze?](<${escapedUrl}>)`,
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
