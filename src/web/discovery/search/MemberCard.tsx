import { Trans } from '@lingui/react/macro';
import { useId } from 'react';
import { formatDate } from '#web/core/format.ts';
import type { MemberCard as Card } from '#shared/discovery/search.ts';
import { profilePath } from '#web/core/paths.ts';
import { BotBadge } from '#web/posts/index.ts';
import { Avatar } from '#web/ui/Avatar.tsx';
import { Count } from '#web/ui/Count.tsx';
import { Link } from '#web/ui/Link.tsx';
import classes from './MemberCard.module.css';

/** A member in a list. */
export function MemberCard({ member }: { member: Card }) {
  const nameId = useId();
  return (
    <article className={classes.card} aria-labelledby={nameId}>
      <Avatar id={member.id} name={member.displayName} avatar={member.avatar} size={44} />
      <div className={classes.about}>
        <h2 id={nameId} className={classes.name} dir="auto">
          <Link href={profilePath(member.id)} data-shortcut-stop>
            {member.displayName}
          </Link>{' '}
          {member.isBot && <BotBadge />}
        </h2>
        <p className={classes.counts}>
          <Count of={member.questionsCount} singular="question" />
          <Count of={member.answersCount} singular="answer" />
          <span>
            <Trans>
              Joined <time dateTime={member.createdAt}>{formatDate(member.createdAt)}</time>
            </Trans>
          </span>
        </p>
      </div>
    </article>
  );
}
