import { t } from '@lingui/core/macro';
import { IconCheck } from '@tabler/icons-react';
import type { QuestionCard as Card } from '#shared/posts/questions.ts';
import type { SearchHighlight } from '#shared/discovery/search.ts';
import { questionPath } from '#shared/posts/question-paths.ts';
import { Count } from '#web/ui/Count.tsx';
import { PostCard, postCardStyles as classes, TagLinks } from '#web/posts/index.ts';

const maxTags = 3;

/**
 * A question in a list (docs/product.md 10.3).
 * @param highlight the matches of a search, if any.
 */
export function QuestionCard({
  question,
  highlight,
}: {
  question: Card;
  highlight?: SearchHighlight | undefined;
}) {
  return (
    <PostCard
      post={question}
      href={questionPath(question.id, question.title)}
      title={question.title}
      highlight={highlight}
      counts={
        <>
          <Count of={question.upvotes} singular="upvote" />
          <span className={classes.answers} data-solved={question.solved || undefined}>
            <span className={question.answerCount > 0 ? classes.answered : undefined}>
              <Count of={question.answerCount} singular="answer" />
            </span>
            {question.solved && (
              <span className={classes.solved} title={t`The author accepted an answer`}>
                <IconCheck size={15} stroke={2} aria-hidden="true" />
                {t`solved`}
              </span>
            )}
          </span>
          {question.duplicate && <span className={classes.duplicate}>{t`duplicate`}</span>}
          <Count of={question.views} singular="view" />
        </>
      }
    >
      <TagLinks tags={question.tags} max={maxTags} />
    </PostCard>
  );
}
