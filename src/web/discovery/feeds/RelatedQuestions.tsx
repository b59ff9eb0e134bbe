import { t } from '@lingui/core/macro';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import type { RelatedQuestionCards } from '#shared/discovery/similar.ts';
import { QuestionLink, QuestionLinks } from './QuestionLinks.tsx';
import { useLiveQuestionCards, type MapCards } from './useLiveQuestionCards.ts';
import { api, readJson } from '#web/core/api.ts';
import { Count } from '#web/ui/Count.tsx';
import classes from './RelatedQuestions.module.css';

/** Related questions. Renders nothing if there are none. */
export function RelatedQuestions({ id }: { id: number }) {
  const titleId = useId();
  const query = relatedQuery(id);
  // QuestionSidebar shows this list when the query has ended. If it failed, and the list fetched it again, the query would
  // be pending, the sidebar would remove the list, and so on without a pause.
  const { data } = useQuery({ ...query, retryOnMount: false });
  useLiveQuestionCards<RelatedQuestionCards>({ queryKey: query.queryKey, mapCards: mapRelatedQuestions });
  if (data === undefined || data.items.length === 0) return null;
  return (
    <aside aria-labelledby={titleId}>
      <h2 id={titleId} className={classes.heading}>
        {t`Related questions`}
      </h2>
      <QuestionLinks>
        {data.items.map((question) => (
          <QuestionLink key={question.id} question={question}>
            <Count of={question.answerCount} singular="answer" />
            {question.solved && <span className={classes.solved}>{t`solved`}</span>}
          </QuestionLink>
        ))}
      </QuestionLinks>
    </aside>
  );
}

export function relatedQuery(id: number) {
  return queryOptions({
    queryKey: ['related', id],
    queryFn: ({ signal }) =>
      readJson(api.questions[':id'].related.$get({ param: { id: String(id) } }, { init: { signal } })),
    // Related questions change slowly. Deleted and edited ones are updated live.
    staleTime: 10 * 60_000,
    retry: false,
  });
}

const mapRelatedQuestions: MapCards<RelatedQuestionCards> = (data, change) => ({
  ...data,
  items: data.items.map(change).filter((card) => card !== null),
});
