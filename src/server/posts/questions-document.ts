import type { Reader } from '#server/core/database.ts';
import type { DocumentRequest } from '#server/core/response-cache.ts';
import type { Viewer } from '#server/core/http.ts';
import { isAuthorRename, listAuthorTopics } from './posts.ts';
import { readQuestionDocumentRow, readQuestionViewerJson } from './questions-document-queries.ts';
import { questionNotFound } from './questions.ts';
import type { AnswerSort } from '#shared/posts/answers.ts';

/**
 * The document of a question's page: the question with its first answers and replies.
 * @throws ProblemError 'not-found', when it is read
 */
export function questionDocument({ id, sort }: { id: number; sort: AnswerSort }): DocumentRequest {
  const topic = `question:${id}` as const;
  return {
    key: `/api/questions/${id}?sort=${sort}`,
    topics: [topic],
    async read(db) {
      const row = await readQuestionDocumentRow(db, { id, sort });
      if (row === undefined) throw questionNotFound();
      return {
        json: row.document,
        topics: [topic, ...listAuthorTopics(row.authorIds)],
        isStaleBy: (change) => isAuthorRename(change) ?? change.event.kind !== 'viewed',
      };
    },
  };
}

/**
 * What a viewer sees on a question's page, as JSON.
 * @throws ProblemError 'not-found'
 */
export async function readQuestionViewer(
  db: Reader,
  { id, sort, viewer }: { id: number; sort: AnswerSort; viewer: Pick<Viewer, 'id'> },
): Promise<string> {
  const json = await readQuestionViewerJson(db, { id, sort, viewerId: viewer.id });
  if (json === undefined) throw questionNotFound();
  return json;
}
