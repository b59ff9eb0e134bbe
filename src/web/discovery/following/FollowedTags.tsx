import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';
import type { QuestionCard } from '#shared/posts/questions.ts';
import { questionPath } from '#shared/posts/question-paths.ts';
import { TagCard, TagSkeletons } from '#web/discovery/tags/TagCard.tsx';
import { Count } from '#web/ui/Count.tsx';
import { NewItemsPill } from '#web/ui/NewItemsPill.tsx';
import { PagedList } from '#web/ui/PagedList.tsx';
import { Link } from '#web/ui/Link.tsx';
import { Time } from '#web/ui/Time.tsx';
import { followedTagsQuery } from '#web/engagement/index.ts';
import { useLiveFollowedTags } from './useLiveFollowing.ts';
import classes from './following.module.css';

/**
 * 'My Topics': each followed tag with its newest questions.
 * @param none whether the member follows no tag: no placeholder is shown, because it would move the suggestions below.
 * @param still no tag is added live, because the member is choosing among the suggestions below.
 */
export function FollowedTags(props: { none: boolean; still: boolean; empty: ReactNode }) {
  const { none, still, empty } = props;
  const query = useInfiniteQuery(followedTagsQuery);
  const newItems = useLiveFollowedTags(still);
  return (
    <PagedList
      query={query}
      noun="tags"
      keyOf={(tag) => tag.name}
      pending={none ? empty : <TagSkeletons />}
      empty={empty}
    >
      {(tags) => (
        <>
          {newItems.pill !== null && <NewItemsPill onClick={newItems.show}>{newItems.pill}</NewItemsPill>}
          <div className={classes.tags}>
            {tags.map((tag) => (
              <TagCard key={tag.name} listedTag={tag}>
                {tag.questions.length > 0 && (
                  <div className={classes.questions}>
                    {tag.questions.map((question) => (
                      <ShortQuestion key={question.id} question={question} />
                    ))}
                  </div>
                )}
              </TagCard>
            ))}
          </div>
        </>
      )}
    </PagedList>
  );
}

function ShortQuestion({ question }: { question: QuestionCard }) {
  const titleId = useId();
  return (
    <article aria-labelledby={titleId} className={classes.question}>
      <h3 id={titleId} className={classes.title} dir="auto">
        <Link href={questionPath(question.id, question.title)} data-shortcut-stop>
          {question.title}
        </Link>
      </h3>
      <p className={classes.meta}>
        <Time at={question.createdAt} kind="card" />
        <Count of={question.upvotes} singular="upvote" />
        <Count of={question.answerCount} singular="answer" />
        <Count of={question.views} singular="view" />
      </p>
    </article>
  );
}
