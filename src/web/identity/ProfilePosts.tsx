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
import { ButtonLink } from '#web/ui/Link.tsx';
import { EmptyState } from '#web/ui/EmptyState.tsx';
import { NewItemsPill } from '#web/ui/NewItemsPill.tsx';
import { useListStart } from '#web/ui/list-address.ts';
import { PagedList } from '#web/ui/PagedList.tsx';
import { profileAnswersQuery, profileQuestionsQuery } from './profiles.ts';

/** The questions of a member. */
export function ProfileQuestions({ profile, own }: { profile: Profile; own: boolean }) {
  const name = <bdi>{profile.displayName}</bdi>;
  const after = useListStart();
  const wanted = profileQuestionsQuery(profile.id, after);
  return (
    <LiveQuestionList
      query={useInfiniteQuery(wanted)}
      queryKey={wanted.queryKey}
      belongs={({ authorId }) => after === null && authorId === profile.id}
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
  const after = useListStart();
  const wanted = profileAnswersQuery(profile.id, after);
  const newItems = useLiveAnswerCards({
    queryKey: wanted.queryKey,
    mapCards: mapAnswerCards,
    belongs: ({ authorId }) => after === null && authorId === profile.id,
  });
  return (
    <PagedList
      query={useInfiniteQuery(wanted)}
      hasAddresses
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
