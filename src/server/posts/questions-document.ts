import type { Reader } from '#server/core/database.ts';
import { createReadBatcher } from '#server/core/read-batcher.ts';
import type { DocumentRequest } from '#server/core/response-cache.ts';
import type { Viewer } from '#server/core/http.ts';
import { isAuthorRename, listAuthorTopics } from './posts.ts';
import {
  type QuestionViewing,
  readQuestionDocumentRow,
  readQuestionViewersJson,
} from './questions-document-queries.ts';
import { questionNotFound } from './questions.ts';
import { decodeCursor } from '#server/core/cursor.ts';
import type { AnswerSort } from '#shared/posts/answers.ts';

type QuestionDocumentRequest = { id: number; sort: AnswerSort; after?: string | undefined };

/**
 * The document of a question's page: the question with its first answers and replies, or with the answers after a
 * cursor.
 * @throws ProblemError 'invalid' for a malformed cursor; 'not-found', when it is read
 */
export function questionDocument({ id, sort, after }: QuestionDocumentRequest): DocumentRequest {
  const cursor = decodeCursor(after);
  const topic = `question:${id}` as const;
  return {
    key: `/api/questions/${id}?sort=${sort}${after === undefined ? '' : `&after=${after}`}`,
    topics: [topic],
    async read(db) {
      const row = await readQuestionDocumentRow(db, { id, sort, cursor });
      if (row === undefined) throw questionNotFound();
      return {
        json: row.document,
        topics: [topic, ...listAuthorTopics(row.authorIds)],
        isStaleBy: (change) => isAuthorRename(change) ?? change.event.kind !== 'viewed',
      };
    },
  };
}

/** The maximum number of viewer parts in a statement. */
const maxViewings = 20;

/**
 * Creates a function that returns what a viewer sees on a question's page, as JSON. First pages that are wanted at the
 * same time are read in one statement.
 * @throws ProblemError 'invalid' for a malformed cursor, 'not-found'
 */
export function createQuestionViewerReader() {
  const firstPage = (sort: AnswerSort) =>
    createReadBatcher<QuestionViewing, string | undefined>({
      readBatch: (db, viewings) => readQuestionViewersJson(db, { sort, cursor: null, viewings }),
      maxBatchSize: maxViewings,
    });
  const firstPages = {
    newest: firstPage('newest'),
    oldest: firstPage('oldest'),
    helpful: firstPage('helpful'),
  } as const satisfies Record<AnswerSort, unknown>;
  return async function readQuestionViewer(
    db: Reader,
    { id, sort, after, viewer }: QuestionDocumentRequest & { viewer: Pick<Viewer, 'id'> },
  ): Promise<string> {
    const viewing = { id, viewerId: viewer.id };
    const cursor = decodeCursor(after);
    const json =
      cursor === null
        ? await firstPages[sort](db, viewing)
        : (await readQuestionViewersJson(db, { sort, cursor, viewings: [viewing] }))[0];
    if (json === undefined) throw questionNotFound();
    return json;
  };
}
