import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, type ReactNode } from 'react';
import { questionPath } from '#web/platform/paths.ts';
import { said } from '#web/platform/said.ts';
import { toastError } from '#web/platform/toast.ts';
import { questionKeys } from '#web/posts/question-query.ts';
import { topicKeys } from '#web/topics/topics.ts';
import { NotLoaded } from '#web/ui/NotLoaded.tsx';
import { PagedList } from '#web/ui/PagedList.tsx';
import { PathLink } from '#web/ui/PathLink.tsx';
import { Pending } from '#web/ui/Pending.tsx';
import { SkeletonLines } from '#web/ui/SkeletonLines.tsx';
import { Time } from '#web/ui/Time.tsx';
import { TopicLink } from '#web/ui/TopicLink.tsx';
import {
  mutedQuestionsQuery,
  mutedTopicsQuery,
  putQuestionMute,
  putTopicMute,
  refreshMutes,
} from './mutes.ts';
import classes from './Mutes.module.css';

/** All that the member muted; each can be heard of again from here. */
export function Mutes() {
  return (
    <>
      <h3 className={classes.part}>{t`Topics`}</h3>
      <MutedTopics />
      <h3 className={classes.part}>{t`Questions`}</h3>
      <MutedQuestions />
    </>
  );
}

function MutedTopics() {
  const query = useQuery({ ...mutedTopicsQuery, staleTime: 0 });
  const { data } = query;
  if (query.isPending) return <Loading />;
  if (data === undefined) return <NotLoaded text={t`The muted topics could not be loaded.`} query={query} />;
  if (data.items.length === 0)
    return (
      <p className={classes.empty}>
        {t`No topic is muted. “Mute” on a topic’s page keeps its questions out of your feeds.`}
      </p>
    );
  return (
    <ul className={classes.list}>
      {data.items.map(({ tag, mutedAt }) => (
        <Line key={tag} mutedAt={mutedAt} unmute={() => putTopicMute(tag, false)}>
          <TopicLink tag={tag} className={classes.name} />
        </Line>
      ))}
    </ul>
  );
}

function MutedQuestions() {
  return (
    <PagedList
      query={useInfiniteQuery(mutedQuestionsQuery)}
      noun="questions"
      keyOf={({ id }) => id}
      pending={<Loading />}
      empty={
        <p className={classes.empty}>
          {t`No question is muted. “Mute” on a question keeps what happens on it out of your notifications.`}
        </p>
      }
    >
      {(questions) => (
        <ul className={classes.list}>
          {questions.map(({ id, title, mutedAt }) => (
            <Line key={id} mutedAt={mutedAt} unmute={() => putQuestionMute(id, false)}>
              <PathLink href={questionPath(id)} className={classes.name} dir="auto" data-shortcut-stop>
                {title}
              </PathLink>
            </Line>
          ))}
        </ul>
      )}
    </PagedList>
  );
}

function Line(props: { mutedAt: string; unmute: () => Promise<unknown>; children: ReactNode }) {
  const client = useQueryClient();
  const nameId = useId();
  const unmute = useMutation({
    mutationFn: props.unmute,
    onError: (error) => toastError(t`That is still muted: ${said(error.message)}`),
    onSettled: () =>
      Promise.all([
        refreshMutes(client),
        client.invalidateQueries({ queryKey: topicKeys.all }),
        client.invalidateQueries({ queryKey: questionKeys.all }),
      ]),
  });
  return (
    <li className={classes.line}>
      <div className={classes.about}>
        <div id={nameId}>{props.children}</div>
        <div className={classes.since}>
          <Trans>
            muted <Time at={props.mutedAt} />
          </Trans>
        </div>
      </div>
      <Button
        variant="default"
        size="compact-md"
        aria-describedby={nameId}
        loading={unmute.isPending}
        onClick={() => unmute.mutate()}
      >
        {t`Unmute`}
      </Button>
    </li>
  );
}

function Loading() {
  return (
    <Pending label={t`Loading what you muted`} part>
      <SkeletonLines widths={['90%', '40%']} />
    </Pending>
  );
}
