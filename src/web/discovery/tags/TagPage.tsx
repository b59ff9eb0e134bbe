import { tagKey } from '#shared/core/text.ts';
import { t } from '@lingui/core/macro';
import { Button } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useId } from 'react';
import { getTagDescription } from '#shared/posts/tags.ts';
import { TagActivityChart, TagActivityChartSkeleton } from '#web/discovery/activity/TagActivityChart.tsx';
import { QuestionCardSkeletons } from '#web/discovery/feeds/QuestionCardSkeletons.tsx';
import { LiveQuestionList } from '#web/discovery/feeds/QuestionList.tsx';
import { FollowTagButton, MuteTagButton } from '#web/engagement/index.ts';
import { ApiError, hasStatus, translateError } from '#web/core/errors.ts';
import { paths } from '#web/core/paths.ts';
import { tagQuery, tagQuestionsQuery, translateTagDescription } from './tags.ts';
import { useLiveTag } from './useLiveTags.ts';
import { ButtonLink } from '#web/ui/PathLink.tsx';
import { Count } from '#web/ui/Count.tsx';
import { useListStart } from '#web/ui/list-address.tsx';
import { EmptyState } from '#web/ui/EmptyState.tsx';
import { MessagePage } from '#web/ui/MessagePage.tsx';
import { PageHeading, usePageTitle } from '#web/ui/PageHeading.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import classes from '#web/ui/page.module.css';

export function TagPage() {
  const { tag } = useParams({ from: '/member/topics/$tag' });
  const query = useQuery(tagQuery(tag));
  const after = useListStart();
  const questions = useInfiniteQuery(tagQuestionsQuery(tag, after));
  useLiveTag(tag);
  const headingId = useId();
  const isTagged = ({ tags }: { tags: readonly string[] }) =>
    tags.some((each) => tagKey(each) === tagKey(tag));
  const name = query.data?.name ?? tag;
  const unknown = hasStatus(query.error, 404) || hasStatus(query.error, 400);
  usePageTitle(unknown ? translateError('tag-not-found') : name);

  if (unknown)
    return (
      <MessagePage heading={translateError('tag-not-found')} text={t`No questions are tagged “${tag}”.`}>
        <ButtonLink href={paths.tags}>{t`Explore Topics`}</ButtonLink>
      </MessagePage>
    );
  if (query.data === undefined && query.error !== null)
    return (
      <MessagePage
        heading={t`The topic could not be loaded`}
        text={query.error instanceof ApiError ? query.error.message : t`Something went wrong.`}
      >
        <Button variant="default" onClick={() => void Promise.all([query.refetch(), questions.refetch()])}>
          {t`Try again`}
        </Button>
      </MessagePage>
    );
  return (
    <>
      <div className={classes.header}>
        <PageHeading className={classes.heading}>
          <span id={headingId} dir="auto">
            {name}
          </span>
        </PageHeading>
        {query.data && (
          <div className={classes.buttons}>
            <MuteTagButton
              tag={name}
              muted={query.data.muted}
              following={query.data.following}
              describedBy={headingId}
            />
            <FollowTagButton tag={name} following={query.data.following} describedBy={headingId} />
          </div>
        )}
      </div>
      <p className={classes.lead} dir="auto">
        {translateTagDescription({
          name: name,
          description: query.data?.description ?? getTagDescription(name),
        })}
      </p>
      {query.data && (
        <p className={classes.counts}>
          <Count of={query.data.questionsCount} singular="question" />
          <Count of={query.data.followersCount} singular="follower" />
        </p>
      )}
      {query.isPending ? (
        <QuestionCardSkeletons>
          <span className={classes.counts}>
            <Skeleton width="10rem" height="1.5em" />
          </span>
          <TagActivityChartSkeleton />
        </QuestionCardSkeletons>
      ) : (
        <>
          {query.data && <TagActivityChart tag={tag} activeAt={query.data.activeAt} />}
          <LiveQuestionList
            query={questions}
            queryKey={tagQuestionsQuery(tag, after).queryKey}
            belongs={(posted) => after === null && isTagged(posted)}
            belongsAfterEdit={isTagged}
            empty={
              <EmptyState title={t`No questions found`} text={t`Questions tagged ${name} show up here.`}>
                <ButtonLink href={paths.ask}>{t`Ask a question`}</ButtonLink>
              </EmptyState>
            }
          />
        </>
      )}
    </>
  );
}
