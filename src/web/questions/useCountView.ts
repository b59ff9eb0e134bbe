import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { api, read } from '#web/platform/api.ts';
import { questionQuery } from '#web/posts/question-query.ts';

/** What this browser has reported already, so that going back to a question asks for nothing. */
const counted = new Set<string>();

/** SPEC section 4: opening a question counts one view a member. The number shown then holds the own view. */
export function useCountView(questionId: number, memberId: number, loaded: boolean): void {
  const client = useQueryClient();
  useEffect(() => {
    const visit = `${memberId}:${questionId}`;
    if (!loaded || counted.has(visit)) return;
    counted.add(visit);
    const count = async () => {
      try {
        await read(api.questions[':id'].view.$put({ param: { id: String(questionId) } }));
        await client.invalidateQueries({ queryKey: questionQuery(questionId).queryKey });
      } catch {
        // Not worth a message; the next visit tries again.
        counted.delete(visit);
      }
    };
    void count();
  }, [client, questionId, memberId, loaded]);
}
