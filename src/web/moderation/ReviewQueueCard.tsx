import { plural, t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import type { PostAction, ReviewItem } from '#shared/moderation/moderation.ts';
import { anchorOf, Author } from '#web/posts/index.ts';
import { formatDate } from '#web/core/format.ts';
import { moderatedMemberPath } from '#web/core/paths.ts';
import { questionPath } from '#shared/posts/question-paths.ts';
import { Markdown } from '#web/ui/markdown/Markdown.tsx';
import { Link } from '#web/ui/Link.tsx';
import { Time } from '#web/ui/Time.tsx';
import {
  actionLabels,
  describeSpamToken,
  matchedRuleLabels,
  reportReasonLabel,
} from './moderation-messages.ts';
import classes from './moderation.module.css';
import { ReviewHistory } from './ReviewHistory.tsx';

/** The action that keeps a post and takes it out of the queue. */
export const getAcceptingAction = ({ cause }: ReviewItem): PostAction =>
  cause === 'report' ? 'dismiss' : cause === 'objection' ? 'restore' : 'approve';

/** A post that waits for a moderator, and the possible actions. */
export function ReviewQueueCard({
  item,
  claimedBy,
  onAct,
}: {
  item: ReviewItem;
  /** The name of another moderator who works on it. */
  claimedBy: string | null;
  /** Null opens the dialog with all actions. */
  onAct: (action: PostAction | null) => void;
}) {
  const ref = { kind: item.kind, id: item.postId };
  const hash = item.kind === 'question' ? '' : `#${anchorOf(ref)}`;
  const accepting = getAcceptingAction(item);
  return (
    <article
      className={classes.card}
      tabIndex={-1}
      data-shortcut-stop
      aria-label={
        item.cause === 'report' ? t`Reported post by ${item.authorName}` : t`Post by ${item.authorName}`
      }
      data-review-item={item.id}
    >
      <div className={classes.head}>
        <span className={classes.strong}>{describeCause(item)}</span>
        {item.held && <span>{t`Held: others do not see it yet`}</span>}
        {item.reasons.length > 0 && (
          <span>
            {item.reasons
              .map(({ reason, count: times }) => `${reportReasonLabel(reason)} (${times})`)
              .join(', ')}
          </span>
        )}
        <Time at={item.firstAt} />
      </div>
      {item.spamEstimate !== null && (
        <p className={classes.quiet} dir="auto">
          {[
            t`Spam probability: ${item.spamEstimate.percent}%`,
            ...item.spamEstimate.tokens.map(describeSpamToken),
          ].join(' · ')}
        </p>
      )}
      {item.matchedRules.length > 0 && (
        <p className={classes.note} dir="auto">
          {item.matchedRules.map(({ rule, value }) => matchedRuleLabels[rule](value)).join(' · ')}
        </p>
      )}
      {[...new Set(item.notes)].map((note) => (
        <p key={note} className={classes.note} dir="auto">
          {note}
        </p>
      ))}
      {item.objection !== null && (
        <>
          <p className={classes.quiet} dir="auto">{t`Removed because: ${item.objection.reason}`}</p>
          <p className={classes.note} dir="auto">
            {item.objection.text}
          </p>
        </>
      )}
      <Link
        href={`${questionPath(item.questionId, item.title)}${hash}`}
        className={classes.strong}
        dir="auto"
      >
        {item.title}
      </Link>
      <div className={classes.head}>
        <Author id={item.authorId} name={item.authorName} />
        <Time at={item.createdAt} />
        {item.authorId !== null && (
          <Link href={moderatedMemberPath(item.authorId)}>{t`About this member`}</Link>
        )}
      </div>
      {item.author !== null && <p className={classes.quiet}>{describeAuthor(item.author)}</p>}
      <Markdown text={item.content} headingLevel={2} />
      <ReviewHistory id={item.id} none={t`No moderator has acted on this post.`} />
      {claimedBy !== null && <p className={classes.note}>{t`${claimedBy} is reviewing this post.`}</p>}
      <div className={`${classes.buttons} ${classes.decision}`}>
        {claimedBy === null ? (
          <>
            <Button variant="default" onClick={() => onAct(accepting)}>
              {actionLabels[accepting]()}
            </Button>
            {item.cause === 'objection' ? (
              <Button onClick={() => onAct('decline_objection')}>{actionLabels.decline_objection()}</Button>
            ) : (
              <>
                <Button variant="default" onClick={() => onAct(null)}>{t`More…`}</Button>
                <Button onClick={() => onAct(item.held ? 'reject' : 'hide')}>
                  {item.held ? actionLabels.reject() : actionLabels.hide()}
                </Button>
              </>
            )}
          </>
        ) : (
          <Button variant="default" onClick={() => onAct(null)}>{t`Take over`}</Button>
        )}
      </div>
    </article>
  );
}

function describeCause({ cause, reportsCount }: ReviewItem): string {
  if (cause === 'links') return t`Links of a new member`;
  if (cause === 'spam_rule') return t`Matches a spam rule`;
  if (cause === 'objection') return t`Objection of the author`;
  if (cause === 'first_post') return t`First post`;
  return plural(reportsCount, { one: '# report', other: '# reports' });
}

/** What a moderator wants to know about the author first. */
function describeAuthor({
  registeredAt,
  reputation,
  posts,
  warnings,
  hiddenPosts,
}: NonNullable<ReviewItem['author']>): string {
  return [
    t`Member since ${formatDate(registeredAt)}`,
    t`Reputation: ${reputation}`,
    plural(posts, { one: '# question or answer', other: '# questions and answers' }),
    ...(warnings > 0 ? [plural(warnings, { one: '# warning', other: '# warnings' })] : []),
    ...(hiddenPosts > 0 ? [plural(hiddenPosts, { one: '# hidden post', other: '# hidden posts' })] : []),
  ].join(' · ');
}
