import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { type InfiniteData, useInfiniteQuery } from '@tanstack/react-query';
import type { AnswerCards, Profile } from '#shared/identity/profiles.ts';
import {
  AnswerCard,
  LiveQuestionList,
  QuestionCardSkeletons,
  useLiveAnswerCards,
} from '#web/discovery/index.ts';
import { paths } from '#web/core/paths.ts';
import { ButtonLink } from '#web/ui/PathLink.tsx';
import { EmptyState } from '#web/ui/EmptyState.tsx';
import { NewItemsPill } from '#web/ui/NewItemsPill.tsx';
import { PagedList } from '#web/ui/PagedList.tsx';
import { profileAnswersQuery, profileKeys, profileQuestionsQuery } from './profiles.ts';

/** The questions of a member. */
export function ProfileQuestions({ profile, own }: { profile: Profile; own: boolean }) {
  const name = <bdi>{profile.displayName}</bdi>;
  return (
    <LiveQuestionList
      query={useInfiniteQuery(profileQuestionsQuery(profile.id))}
      queryKey={profileKeys.questions(profile.id)}
      belongs={({ authorId }) => authorId === profile.id}
      empty={
        own ? (
          <EmptyState title={t`You haven't asked any questions yet.`}>
            <ButtonLink href={paths.ask}>{t`Ask a question`}</ButtonLink>
          </EmptyState>
        ) : (
          <EmptyState title={<Trans>{name} hasn't asked any questions yet.</Trans>} />
        )
      }
    />
  );
}

/** The answers of a member. */
export function ProfileAnswers({ profile, own }: { profile: Profile; own: boolean }) {
  const name = <bdi>{profile.displayName}</bdi>;
  const newItems = useLiveAnswerCards({
    queryKey: profileKeys.answers(profile.id),
    mapCards: mapAnswerCards,
    belongs: ({ authorId }) => authorId === profile.id,
  });
  return (
    <PagedList
      query={useInfiniteQuery(profileAnswersQuery(profile.id))}
      noun="answers"
      keyOf={(answer) => answer.id}
      pending={<QuestionCardSkeletons part />}
      empty={
        own ? (
          <EmptyState title={t`You haven't answered any questions yet.`}>
            <ButtonLink href={`${paths.home}?tab=unanswered`}>{t`Find a question to answer`}</ButtonLink>
          </EmptyState>
        ) : (
          <EmptyState title={<Trans>{name} hasn't answered any questions yet.</Trans>} />
        )
      }
    >
      {(answers) => (
        <>
          {newItems.pill !== null && <NewItemsPill onClick={newItems.show}>{newItems.pill}</NewItemsPill>}
          {answers.map((answer) => (
            <AnswerCard key={answer.id} answer={answer} />
          ))}
        </>
      )}
    </PagedList>
  );
}

function mapAnswerCards(
  data: InfiniteData<AnswerCards>,
  change: (card: AnswerCards['items'][number]) => AnswerCards['items'][number] | null,
): InfiniteData<AnswerCards> {
  const pages = data.pages.map((page) => ({
    ...page,
    items: page.items.map(change).filter((card) => card !== null),
  }));
  return { ...data, pages };
}
