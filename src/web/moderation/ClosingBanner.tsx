import { t } from '@lingui/core/macro';
import type { ReactNode } from 'react';
import type { ClosingReason } from '#shared/posts/closing-reasons.ts';
import type { Question } from '#shared/posts/questions.ts';
import { Time } from '#web/ui/Time.tsx';
import classes from './QuestionStatusBanner.module.css';

/** Why and when the site of an imported question closed it. */
export default function ClosingBanner({
  closing: { reason, closedAt },
  site,
  children,
}: {
  closing: NonNullable<Question['closing']>;
  site: string | undefined;
  /** Who closed it. */
  children: ReactNode;
}) {
  const why = describeReason(reason);
  return (
    <p className={classes.note}>
      {site === undefined
        ? t`This question was closed: ${why}`
        : t`This question was closed on ${site}: ${why}`}
      {' · '}
      <Time at={closedAt} />
      {children}
    </p>
  );
}

function describeReason(reason: ClosingReason): string {
  return {
    duplicate: t`duplicate`,
    'off-topic': t`off-topic`,
    unclear: t`needs details or clarity`,
    'too-broad': t`needs more focus`,
    'opinion-based': t`opinion-based`,
    'not-constructive': t`not constructive`,
    'not-a-question': t`not a real question`,
    'too-localized': t`too localized`,
    'general-reference': t`answered in general reference works`,
    noise: t`noise or pointless`,
    other: t`no reason given`,
  }[reason];
}
