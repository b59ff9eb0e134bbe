import { t } from '@lingui/core/macro';
import { IconCheck } from '@tabler/icons-react';
import { useId } from 'react';
import type { QuestionCard as Card } from '#shared/questions.ts';
import type { SearchHit } from '#shared/search.ts';
import { questionPath } from '#web/platform/paths.ts';
import { Author } from '#web/ui/Author.tsx';
import { Avatar } from '#web/ui/Avatar.tsx';
import { CardTitle } from '#web/ui/CardTitle.tsx';
import { Count } from '#web/ui/Count.tsx';
import { Marked } from '#web/ui/Marked.tsx';
import { PathLink } from '#web/ui/PathLink.tsx';
import { TagLinks } from '#web/ui/TagLinks.tsx';
import { Time } from '#web/ui/Time.tsx';
import classes from './QuestionCard.module.css';

const tagsShown = 3;

/** A question in a list (SPEC section 9, Question card). */
export function QuestionCard({
  question,
  hit,
}: {
  question: Card;
  /** Where the question has what was searched for: it is marked there. */
  hit?: SearchHit | undefined;
}) {
  const titleId = useId();
  const href = questionPath(question.id);
  return (
    <article className={classes.card} aria-labelledby={titleId}>
      <div className={classes.byline}>
        <Avatar id={question.authorId} name={question.authorName} size={22} />
        <Author id={question.authorId} name={question.authorName} className={classes.author} />
        <Time at={question.createdAt} kind="card" />
      </div>
      <CardTitle id={titleId} href={href}>
        {hit === undefined ? question.title : <Marked parts={hit.title} />}
      </CardTitle>
      <p className={classes.excerpt} dir="auto">
        {hit?.text ? <Marked parts={hit.text} /> : question.excerpt}
        {question.excerptCut && (
          <>
            {hit?.text ? ' ' : '… '}
            <PathLink href={href} aria-describedby={titleId} className={classes.more}>
              {t`Read more`}
            </PathLink>
          </>
        )}
      </p>
      <div className={classes.footer}>
        <div className={classes.counts}>
          <Count of={question.upvotes} singular="upvote" />
          <span className={question.answerCount > 0 ? classes.answered : undefined}>
            <Count of={question.answerCount} singular="answer" />
          </span>
          {question.solved && (
            <span className={classes.solved} title={t`The asker accepted an answer`}>
              <IconCheck size={15} stroke={2} aria-hidden="true" />
              {t`solved`}
            </span>
          )}
          {question.duplicate && <span className={classes.duplicate}>{t`asked before`}</span>}
          <Count of={question.views} singular="view" />
        </div>
        <TagLinks tags={question.tags} max={tagsShown} />
      </div>
    </article>
  );
}
