import { plural, t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import type { ReviewItem } from '#shared/moderation/moderation.ts';
import type { TagProposal } from '#shared/moderation/tag-proposals.ts';
import { questionPath } from '#shared/posts/question-paths.ts';
import { formatCount } from '#web/core/format.ts';
import { tagPath } from '#web/core/paths.ts';
import { Author } from '#web/posts/index.ts';
import { formatCountOf } from '#web/ui/Count.tsx';
import { Link } from '#web/ui/Link.tsx';
import { Time } from '#web/ui/Time.tsx';
import classes from './moderation.module.css';
import { ReviewHistory } from './ReviewHistory.tsx';
import type { TagDecision } from './TagProposalDialog.tsx';

/** A proposed tag that waits for a moderator, with the questions that it came from and similar tags. */
export function TagProposalCard({
  item,
  proposal,
  claimedBy,
  onAct,
}: {
  item: ReviewItem;
  proposal: TagProposal;
  /** The name of another moderator who works on it. */
  claimedBy: string | null;
  onAct: (decision: TagDecision) => void;
}) {
  const more = proposal.questionsCount - proposal.questions.length;
  return (
    <article
      className={classes.card}
      tabIndex={-1}
      data-shortcut-stop
      aria-label={t`Proposed topic “${proposal.name}”`}
      data-review-item={item.id}
    >
      <div className={classes.head}>
        <span className={classes.strong}>{t`Proposed topic`}</span>
        <Time at={item.firstAt} />
      </div>
      <p className={classes.proposedName}>
        <bdi>{proposal.name}</bdi>
      </p>
      <p className={classes.quiet}>
        {proposal.similar.length === 0 ? t`No topic has a similar name.` : t`Similar topics:`}{' '}
        {proposal.similar.map(({ name, questionsCount }, index) => (
          <span key={name}>
            {index > 0 && ' · '}
            <Link href={tagPath(name)} dir="auto">
              {name}
            </Link>{' '}
            ({formatCountOf('question', questionsCount, formatCount(questionsCount))})
          </span>
        ))}
      </p>
      <ul className={classes.proposals} aria-label={t`Questions`}>
        {proposal.questions.map((question) => (
          <li key={question.id}>
            <Link href={questionPath(question.id, question.title)} className={classes.strong} dir="auto">
              {question.title}
            </Link>
            <div className={classes.head}>
              <Author id={question.memberId} name={question.memberName} />
              <Time at={question.createdAt} />
            </div>
            {question.reason !== '' && (
              <p className={classes.note} dir="auto">
                {question.reason}
              </p>
            )}
          </li>
        ))}
      </ul>
      {more > 0 && (
        <p className={classes.quiet}>{plural(more, { one: '# more question', other: '# more questions' })}</p>
      )}
      <ReviewHistory id={item.id} none={t`No one has decided about this name before.`} />
      {claimedBy !== null && <p className={classes.note}>{t`${claimedBy} is reviewing this topic.`}</p>}
      <div className={classes.buttons}>
        {claimedBy === null ? (
          <>
            <Button variant="default" onClick={() => onAct('reject')}>{t`Reject`}</Button>
            <Button variant="default" onClick={() => onAct('synonym')}>{t`Make it another name`}</Button>
            <Button onClick={() => onAct('approve')}>{t`Approve`}</Button>
          </>
        ) : (
          <Button variant="default" onClick={() => onAct('approve')}>{t`Take over`}</Button>
        )}
      </div>
    </article>
  );
}
