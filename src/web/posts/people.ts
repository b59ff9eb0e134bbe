import type { QuestionPage } from '#shared/questions.ts';
import type { MentionableMember } from '#web/editor/people.ts';
import { listReplies } from './question-page.ts';

/** Who takes part in a thread, each once and without the viewer: who asked, who answered, who replied. */
export function listParticipants(page: QuestionPage | undefined, viewerId: number): MentionableMember[] {
  if (page === undefined) return [];
  const posts = [
    page.question,
    ...page.answers.items,
    ...listReplies(page).filter(({ deleted }) => !deleted),
  ];
  const people = new Map<number, MentionableMember>();
  for (const { authorId, authorName } of posts)
    if (authorId !== null && authorId !== viewerId)
      people.set(authorId, people.get(authorId) ?? { id: authorId, name: authorName });
  return [...people.values()];
}
