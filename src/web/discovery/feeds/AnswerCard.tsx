import type { AnswerCard as Card } from '#shared/posts/cards.ts';
import { t } from '@lingui/core/macro';
import { IconCheck } from '@tabler/icons-react';
import type { SearchHighlight } from '#shared/discovery/search.ts';
import { answerPath } from '#shared/posts/question-paths.ts';
import { Count } from '#web/ui/Count.tsx';
import { PostCard, postCardStyles as classes } from '#web/posts/index.ts';

/** An answer in a list, below the title of its question. Both link to the answer on the question's page. */
export function AnswerCard({ answer, highlight }: { answer: Card; highlight?: SearchHighlight | undefined }) {
  return (
    <PostCard
      post={answer}
      href={answerPath(answer, answer.questionTitle)}
      title={answer.questionTitle}
      highlight={highlight}
      verb={t`answered`}
      counts={
        <>
          <Count of={answer.upvotes} singular="upvote" />
          {answer.accepted && (
            <span className={classes.solved}>
              <IconCheck size={15} stroke={2} aria-hidden="true" />
              {t`Accepted answer`}
            </span>
          )}
        </>
      }
    />
  );
}
