import { z } from 'zod';
import { time } from '#shared/core/fields.ts';

/** Why a question is closed on the site that it was imported from. */
export const closingReasons = [
  'duplicate',
  'off-topic',
  'unclear',
  'too-broad',
  'opinion-based',
  'not-constructive',
  'not-a-question',
  'too-localized',
  'general-reference',
  'noise',
  'other',
] as const;
export type ClosingReason = (typeof closingReasons)[number];

export const closing = z.object({ reason: z.enum(closingReasons), closedAt: time }).nullable();
