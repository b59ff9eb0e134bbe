import { tagKey } from '#shared/core/text.ts';
import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useRouter, useParam } from '#web/core/router.ts';
import { useEffect, useId } from 'react';
import type { TagTextSource } from '#shared/posts/tag-text-source.ts';
import { getTagDescription } from '#shared/posts/tags.ts';
import { TagActivityChart, TagActivityChartSkeleton } from '#web/discovery/activity/TagActivityChart.tsx';
import { QuestionCardSkeletons } from '#web/discovery/feeds/QuestionCardSkeletons.tsx';
import { Announcements } from '#web/discovery/announcements/Announcements.tsx';
import { announcementsQuery } from '#web/discovery/announcements/announcements.ts';
import { TagTextAttribution } from '#web/posts/index.ts';
import { LiveQuestionList } from '#web/discovery/feeds/QuestionList.tsx';
import { FollowTagButton, MuteTagButton } from '#web/engagement/index.ts';
import { ApiError, hasStatus, translateError } from '#web/core/errors.ts';
import { managedTagPath, paths, tagPath } from '#web/core/paths.ts';
import { tagQuery, tagQuestionsQuery, translateTagDescription } from './tags.ts';
import { useLiveTag } from './useLiveTags.ts';
import { ButtonLink, Link } from '#web/ui/Link.tsx';
import { Count } from '#web/ui/Count.tsx';
import { useListStart } from '#web/ui/list-address.ts';
import { EmptyState } from '#web/ui/EmptyState.tsx';
import { MessagePage } from '#web/ui/MessagePage.tsx';
import { PageHeading, usePageTitle } from '#web/ui/PageHeading.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { Markdown } from '#web/ui/markdown/Markdown.tsx';
import { useMember } from '#web/core/session.ts';
import { canModerate } from '#shared/identity/roles.ts';
import classes from '#web/ui/page.module.css';
import about from './TagAbout.module.css';

export function TagPage() {
  const tag = useParam('tag');
  const query = useQuery(tagQuery(tag));
  const after = useListStart();
  const questions = useInfiniteQuery(tagQuestionsQuery(tag, after));
  const announcements = useQuery(announcementsQuery(tag));
  const isModerator = canModerate(useMember()?.role ?? 'member');
  useLiveTag(tag);
  useMainTagAddress(tag, query.data?.name);
  const headingId = useId();
  const isTagged = ({ tags }: { tags: readonly string[] }) =>
    tags.some((each) => tagKey(each) === tagKey(tag));
  const name = query.data?.name ?? tag;
  const unknown = hasStatus(query.error, 404) || hasStatus(query.error, 400);
  const { descriptionSource, aboutSource } = query.data ?? {};
  const isSameSource = JSON.stringify(descriptionSource) === JSON.stringify(aboutSource);
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
            {isModerator && (
              <Button
                variant="default"
                size="compact-sm"
                className={about.button ?? ''}
                renderRoot={(props) => <Link href={managedTagPath(name)} {...props} />}
              >
                {t`Edit topic`}
              </Button>
            )}
          </div>
        )}
      </div>
      <p className={classes.lead} dir="auto">
        {translateTagDescription({
          name: name,
          description: query.data?.description ?? getTagDescription(name),
        })}
      </p>
      {descriptionSource != null && !isSameSource && <TagTextAttribution source={descriptionSource} />}
      {query.data && (
        <p className={classes.counts}>
          <Count of={query.data.questionsCount} singular="question" />
          <Count of={query.data.followersCount} singular="follower" />
        </p>
      )}
      {query.data?.about != null && <TagAbout text={query.data.about} source={aboutSource ?? null} />}
      {query.isPending || announcements.isLoading ? (
        <QuestionCardSkeletons>
          <span className={classes.counts}>
            <Skeleton width="10rem" height="1.5em" />
          </span>
          <TagActivityChartSkeleton />
        </QuestionCardSkeletons>
      ) : (
        <>
          {query.data && <TagActivityChart tag={tag} activeAt={query.data.activeAt} />}
          {after === null && <Announcements tag={tag} />}
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

/** The address of a synonym becomes that of its tag, also when the tag is renamed. */
function useMainTagAddress(tag: string, name: string | undefined): void {
  const router = useRouter();
  useEffect(() => {
    if (name !== undefined && tagKey(name) !== tagKey(tag))
      void router.navigate(tagPath(name), { replace: true });
  }, [router, tag, name]);
}

/** In characters. A longer text is closed at first, so that the questions stay in view. */
const maxOpenLength = 600;

function TagAbout({ text, source }: { text: string; source: TagTextSource }) {
  return (
    <div className={about.about}>
      <details open={text.length <= maxOpenLength}>
        <summary>{t`About this topic`}</summary>
        <Markdown text={text} headingLevel={2} />
      </details>
      {source !== null && <TagTextAttribution source={source} />}
    </div>
  );
}
