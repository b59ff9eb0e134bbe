import { questionKeys, TagLink, tagQueryKeys } from '#web/posts/index.ts';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button } from '#web/ui/Button.tsx';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';
import { questionPath } from '#shared/posts/question-paths.ts';
import { api, readJson } from '#web/core/api.ts';
import { pagedQuery } from '#web/core/paged-query.ts';
import { toastError } from '#web/core/toast.ts';
import { LoadError } from '#web/ui/LoadError.tsx';
import { PagedList } from '#web/ui/PagedList.tsx';
import { Link } from '#web/ui/Link.tsx';
import { LoadingRegion } from '#web/ui/LoadingRegion.tsx';
import { SkeletonLines } from '#web/ui/Skeleton.tsx';
import { Time } from '#web/ui/Time.tsx';
import { mutedTagsQuery, refreshMutes, setTagMute } from './mutes.ts';
import { muteKeys, setQuestionMute } from './question-mutes.ts';
import classes from './MuteSettings.module.css';

const mutedQuestionsQuery = pagedQuery(muteKeys.questions, (page, options) =>
  readJson(api.mutes.questions.$get({ query: page }, options)),
);

/** All muted questions and tags, each with a button to unmute it. */
export function MuteSettings() {
  return (
    <>
      <h3 className={classes.part}>{t`Topics`}</h3>
      <MutedTags />
      <h3 className={classes.part}>{t`Questions`}</h3>
      <MutedQuestions />
    </>
  );
}

function MutedTags() {
  const query = useQuery({ ...mutedTagsQuery, staleTime: 0 });
  const { data } = query;
  if (query.isPending) return <MutesSkeleton />;
  if (data === undefined) return <LoadError text={t`The muted topics could not be loaded.`} query={query} />;
  if (data.items.length === 0)
    return (
      <p className={classes.empty}>
        {t`No muted topics. Mute a topic on its page to hide its questions from your feeds.`}
      </p>
    );
  return (
    <ul className={classes.list}>
      {data.items.map(({ tag, mutedAt }) => (
        <MutedItem key={tag} mutedAt={mutedAt} unmute={() => setTagMute(tag, false)}>
          <TagLink tag={tag} className={classes.name} />
        </MutedItem>
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
      pending={<MutesSkeleton />}
      empty={
        <p className={classes.empty}>
          {t`No muted questions. Mute a question to stop notifications about it.`}
        </p>
      }
    >
      {(questions) => (
        <ul className={classes.list}>
          {questions.map(({ id, title, mutedAt }) => (
            <MutedItem key={id} mutedAt={mutedAt} unmute={() => setQuestionMute(id, false)}>
              <Link href={questionPath(id, title)} className={classes.name} dir="auto" data-shortcut-stop>
                {title}
              </Link>
            </MutedItem>
          ))}
        </ul>
      )}
    </PagedList>
  );
}

function MutedItem(props: { mutedAt: string; unmute: () => Promise<unknown>; children: ReactNode }) {
  const client = useQueryClient();
  const nameId = useId();
  const unmute = useMutation({
    mutationFn: props.unmute,
    onError: (error) => toastError(t`Could not unmute: ${error.message}`),
    onSettled: () => {
      void refreshMutes(client);
      void client.invalidateQueries({ queryKey: tagQueryKeys.all });
      void client.invalidateQueries({ queryKey: questionKeys.all });
    },
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

function MutesSkeleton() {
  return (
    <LoadingRegion label={t`Loading muted topics and questions`} part>
      <SkeletonLines widths={['90%', '40%']} />
    </LoadingRegion>
  );
}
