import { z } from 'zod';

/*
 * The rules for structured data, as schemas without further fields:
 * https://developers.google.com/search/docs/appearance/structured-data/qapage and …/breadcrumb, with the required and the
 * recommended fields.
 */

const time = z.iso.datetime();
const address = z.url({ protocol: /^https?$/u });
const text = z.string().trim().min(1);
const count = z.int().nonnegative();

const person = z.strictObject({ '@type': z.literal('Person'), name: text, url: address.optional() });

const written = { dateCreated: time, datePublished: time, dateModified: time.optional(), author: person };

const answer = z.strictObject({
  '@type': z.literal('Answer'),
  text,
  url: address,
  upvoteCount: count,
  ...written,
});

export const qaPage = z.strictObject({
  '@context': z.literal('https://schema.org'),
  '@type': z.literal('QAPage'),
  mainEntity: z
    .strictObject({
      '@type': z.literal('Question'),
      name: text,
      text,
      url: address,
      answerCount: count,
      upvoteCount: count,
      keywords: text.optional(),
      ...written,
      acceptedAnswer: answer.optional(),
      suggestedAnswer: z.array(answer).min(1).optional(),
    })
    .refine(
      ({ acceptedAnswer, suggestedAnswer }) => acceptedAnswer !== undefined || suggestedAnswer !== undefined,
      'an accepted or a suggested answer is required',
    )
    .refine(
      ({ answerCount, acceptedAnswer, suggestedAnswer = [] }) =>
        answerCount >= suggestedAnswer.length + (acceptedAnswer === undefined ? 0 : 1),
      'answerCount is the number of all answers',
    ),
});

export const breadcrumbList = z
  .strictObject({
    '@context': z.literal('https://schema.org'),
    '@type': z.literal('BreadcrumbList'),
    itemListElement: z
      .array(z.strictObject({ '@type': z.literal('ListItem'), position: z.int(), name: text, item: address }))
      .min(2),
  })
  .refine(
    ({ itemListElement }) => itemListElement.every(({ position }, index) => position === index + 1),
    'positions count from 1',
  );
