import { t } from '@lingui/core/macro';
import { Button } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useId } from 'react';
import { tagKey, topicDescription } from '#shared/tags.ts';
import { TopicPicture, TopicPicturePlace } from '#web/activity/TopicPicture.tsx';
import { QuestionCardSkeletons } from '#web/feeds/QuestionCardSkeleton.tsx';
import { LiveQuestionList } from '#web/feeds/QuestionList.tsx';
import { FollowTopicButton } from '#web/follows/FollowTopicButton.tsx';
import { MuteTopicButton } from '#web/mutes/MuteTopicButton.tsx';
import { ApiError, isStatus } from '#web/platform/errors.ts';
import { paths } from '#web/platform/paths.ts';
import { said } from '#web/platform/said.ts';
import { descriptionOf } from '#web/topics/description.ts';
import { usePageTitle } from '#web/platform/title.ts';
import { topicKeys, topicQuery, topicQuestionsQuery } from '#web/topics/topics.ts';
import { useLiveTopic } from '#web/topics/useLiveTopics.ts';
import { ButtonLink } from '#web/ui/ButtonLink.tsx';
import { Count } from '#web/ui/Count.tsx';
import { Empty } from '#web/ui/Empty.tsx';
import { Message } from '#web/ui/Message.tsx';
import { PageHeading } from '#web/ui/PageHeading.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import classes from './page.module.css';

export function TopicPage() {
  const { tag } = useParams({ from: '/member/topics/$tag' });
  const topic = useQuery(topicQuery(tag));
  const questions = useInfiniteQuery(topicQuestionsQuery(tag));
  useLiveTopic(tag);
  const headingId = useId();
  const isTagged = ({ tags }: { tags: readonly string[] }) =>
    tags.some((each) => tagKey(each) === tagKey(tag));
  const name = topic.data?.tag ?? tag;
  const unknown = isStatus(topic.error, 404) || isStatus(topic.error, 400);
  usePageTitle(unknown ? said('Topic not found') : name);

  if (unknown)
    return (
      <Message heading={said('Topic not found')} text={t`No question has the tag “${tag}”.`}>
        <ButtonLink href={paths.topics}>{t`Explore Topics`}</ButtonLink>
      </Message>
    );
  if (topic.data === undefined && topic.error !== null)
    return (
      <Message
        heading={t`The topic could not be loaded`}
        text={topic.error instanceof ApiError ? topic.error.message : t`Something went wrong.`}
      >
        <Button variant="default" onClick={() => void Promise.all([topic.refetch(), questions.refetch()])}>
          {t`Try again`}
        </Button>
      </Message>
    );
  return (
    <>
      <div className={classes.header}>
        <PageHeading className={classes.heading}>
          <span id={headingId} dir="auto">
            {name}
          </span>
        </PageHeading>
        {topic.data && (
          <div className={classes.buttons}>
            <MuteTopicButton
              tag={name}
              muted={topic.data.muted}
              following={topic.data.following}
              describedBy={headingId}
            />
            <FollowTopicButton tag={name} following={topic.data.following} describedBy={headingId} />
          </div>
        )}
      </div>
      <p className={classes.lead} dir="auto">
        {descriptionOf({ tag: name, description: topic.data?.description ?? topicDescription(name) })}
      </p>
      {topic.data && (
        <p className={classes.counts}>
          <Count of={topic.data.questionsCount} singular="question" />
          <Count of={topic.data.followersCount} singular="follower" />
        </p>
      )}
      {topic.isPending ? (
        <QuestionCardSkeletons>
          <span className={classes.counts}>
            <Skeleton width="10rem" height="1.5em" />
          </span>
          <TopicPicturePlace />
        </QuestionCardSkeletons>
      ) : (
        <>
          {topic.data && <TopicPicture tag={tag} activeAt={topic.data.activeAt} />}
          <LiveQuestionList
            query={questions}
            queryKey={topicKeys.questions(tag)}
            takes={isTagged}
            keeps={isTagged}
            empty={
              <Empty title={t`No questions found`} text={t`Questions tagged ${name} show up here.`}>
                <ButtonLink href={paths.ask}>{t`Ask a question`}</ButtonLink>
              </Empty>
            }
          />
        </>
      )}
    </>
  );
}
