import type { QuestionPage } from '#shared/questions.ts';
import type { Person } from '#web/editor/people.ts';
import { repliesOf } from './question-page.ts';

/** Who takes part in a thread, each once and without the viewer: who asked, who answered, who replied. */
export function peopleOf(page: QuestionPage | undefined, viewerId: number): Person[] {
  if (page === undefined) return [];
  const posts = [page.question, ...page.answers.items, ...repliesOf(page).filter(({ deleted }) => !deleted)];
  const people = new Map<number, Person>();
  for (const { authorId, authorName } of posts)
    if (authorId !== null && authorId !== viewerId)
      people.set(authorId, people.get(authorId) ?? { id: authorId, name: authorName });
  return [...people.values()];
}
