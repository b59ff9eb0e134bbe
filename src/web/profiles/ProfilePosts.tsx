import { useInfiniteQuery } from '@tanstack/react-query';
import type { Profile } from '#shared/profiles.ts';
import { QuestionList } from '#web/feeds/QuestionList.tsx';
import { QuestionCardSkeletons } from '#web/feeds/QuestionCardSkeleton.tsx';
import { paths } from '#web/platform/paths.ts';
import { AnswerCard } from '#web/search/AnswerCard.tsx';
import { ButtonLink } from '#web/ui/ButtonLink.tsx';
import { Empty } from '#web/ui/Empty.tsx';
import { PagedList } from '#web/ui/PagedList.tsx';
import { answersByQuery, questionsByQuery } from './profiles.ts';

/** What a member asked. */
export function QuestionsBy({ profile, own }: { profile: Profile; own: boolean }) {
  return (
    <QuestionList
      query={useInfiniteQuery(questionsByQuery(profile.id))}
      empty={
        own ? (
          <Empty title="You haven't asked any questions yet.">
            <ButtonLink href={paths.ask}>Ask a question</ButtonLink>
          </Empty>
        ) : (
          <Empty title={`${profile.displayName} hasn't asked any questions yet.`} />
        )
      }
    />
  );
}

/** What a member answered. */
export function AnswersBy({ profile, own }: { profile: Profile; own: boolean }) {
  return (
    <PagedList
      query={useInfiniteQuery(answersByQuery(profile.id))}
      noun="answers"
      keyOf={(answer) => answer.id}
      pending={<QuestionCardSkeletons />}
      empty={
        own ? (
          <Empty title="You haven't answered any questions yet.">
            <ButtonLink href={`${paths.home}?tab=unanswered`}>Find a question to answer</ButtonLink>
          </Empty>
        ) : (
          <Empty title={`${profile.displayName} hasn't answered any questions yet.`} />
        )
      }
    >
      {(answers) => answers.map((answer) => <AnswerCard key={answer.id} answer={answer} />)}
    </PagedList>
  );
}
