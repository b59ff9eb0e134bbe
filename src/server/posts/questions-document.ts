import type { Reader } from '#server/core/database.ts';
import { createReadBatcher } from '#server/core/read-batcher.ts';
import type { DocumentRequest } from '#server/core/response-cache.ts';
import type { Viewer } from '#server/core/http.ts';
import { isAuthorRename, listAuthorTopics } from './posts.ts';
import {
  type QuestionDocumentRow,
  type QuestionViewing,
  readQuestionDocumentRows,
  readQuestionViewersJson,
} from './questions-document-queries.ts';
import { questionNotFound } from './questions.ts';
import { decodeCursor } from '#server/core/cursor.ts';
import type { AnswerSort } from '#shared/posts/answers.ts';

type QuestionDocumentRequest = { id: number; sort: AnswerSort; after?: string | undefined };

/** The maximum number of documents, which can be large, and of viewer parts in a statement. */
const [maxDocuments, maxViewings] = [10, 20];

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
      const row =
        cursor === null
          ? await readFirstPage[sort](db, id)
          : (await readQuestionDocumentRows(db, { sort, cursor, ids: [id] }))[0];
      if (row === undefined) throw questionNotFound();
      return {
        json: row.document,
        topics: [topic, ...listAuthorTopics(row.authorIds)],
        isStaleBy: (change) => isAuthorRename(change) ?? change.event.kind !== 'viewed',
      };
    },
  };
}

const readFirstPage = perSort((sort) =>
  createReadBatcher<number, QuestionDocumentRow | undefined>({
    readBatch: (db, ids) => readQuestionDocumentRows(db, { sort, cursor: null, ids }),
    maxBatchSize: maxDocuments,
  }),
);

/**
 * What a viewer sees on a question's page, as JSON.
 * @throws ProblemError 'invalid' for a malformed cursor, 'not-found'
 */
export async function readQuestionViewer(
  db: Reader,
  { id, sort, after, viewer }: QuestionDocumentRequest & { viewer: Pick<Viewer, 'id'> },
): Promise<string> {
  const viewing = { id, viewerId: viewer.id };
  const cursor = decodeCursor(after);
  const json =
    cursor === null
      ? await readFirstViewer[sort](db, viewing)
      : (await readQuestionViewersJson(db, { sort, cursor, viewings: [viewing] }))[0];
  if (json === undefined) throw questionNotFound();
  return json;
}

const readFirstViewer = perSort((sort) =>
  createReadBatcher<QuestionViewing, string | undefined>({
    readBatch: (db, viewings) => readQuestionViewersJson(db, { sort, cursor: null, viewings }),
    maxBatchSize: maxViewings,
  }),
);

/** First pages that are wanted at the same time are read in one statement for each order of the answers. */
function perSort<Read>(create: (sort: AnswerSort) => Read): Readonly<Record<AnswerSort, Read>> {
  return { newest: create('newest'), oldest: create('oldest'), helpful: create('helpful') };
}
