import { t } from '@lingui/core/macro';
import { useId } from 'react';
import type { AnswerCard as Card, SearchHit } from '#shared/search.ts';
import { answerPath } from '#web/platform/paths.ts';
import { Author } from '#web/ui/Author.tsx';
import { Avatar } from '#web/ui/Avatar.tsx';
import { CardTitle } from '#web/ui/CardTitle.tsx';
import { Count } from '#web/ui/Count.tsx';
import { Marked } from '#web/ui/Marked.tsx';
import { PathLink } from '#web/ui/PathLink.tsx';
import { Time } from '#web/ui/Time.tsx';
import classes from './AnswerCard.module.css';

/** An answer in a list, under the question it answers; both lead to the answer on the question's page. */
export function AnswerCard({ answer, hit }: { answer: Card; hit?: SearchHit | undefined }) {
  const titleId = useId();
  const href = answerPath(answer);
  return (
    <article className={classes.card} aria-labelledby={titleId}>
      <div className={classes.byline}>
        <Avatar id={answer.authorId} name={answer.authorName} size={22} />
        <Author id={answer.authorId} name={answer.authorName} className={classes.author} />
        <span className={classes.verb}>{t`answered`}</span>
        <Time at={answer.createdAt} kind="card" />
      </div>
      <CardTitle id={titleId} href={href}>
        {hit === undefined ? answer.questionTitle : <Marked parts={hit.title} />}
      </CardTitle>
      <p className={classes.excerpt} dir="auto">
        {hit?.text ? <Marked parts={hit.text} /> : answer.excerpt}
        {answer.excerptCut && (
          <>
            {hit?.text ? ' ' : '… '}
            <PathLink href={href} aria-describedby={titleId} className={classes.more}>
              {t`Read more`}
            </PathLink>
          </>
        )}
      </p>
      <p className={classes.counts}>
        <Count of={answer.upvotes} singular="upvote" />
      </p>
    </article>
  );
}
