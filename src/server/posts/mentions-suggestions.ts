import type { Reader } from '#server/core/database.ts';
import type { Viewer } from '#server/core/http.ts';
import { requireQuestion } from './questions.ts';
import type { MentionableMembers } from '#shared/posts/mentions.ts';
import { type NamedMember, listMembersByName, listThreadMembers } from './mentions-queries.ts';

/** Members a list shows at most. */
const maxListed = 8;

/**
 * Whom one may want to name at a question: those who wrote there, the latest first, then others whose name begins so. A
 * blank beginning asks for the former alone. Members without a name are left out, for they would show their address.
 * @throws ProblemError 'not-found'
 */
export async function listMentionableInThread(
  db: Reader,
  { questionId, viewer, beginning }: { questionId: number; viewer: Viewer; beginning: string },
): Promise<MentionableMembers['items']> {
  await requireQuestion(db, questionId);
  const name = foldSpaces(beginning);
  const there = await listThreadMembers(db, {
    questionId,
    viewerId: viewer.id,
    beginning: name,
    limit: maxListed,
  });
  const except = [viewer.id, ...there.map(({ id }) => id)];
  const others = await listOthers(db, { name, except, limit: maxListed - there.length });
  return [...there.map((row) => toItem(row, true)), ...others.map((row) => toItem(row, false))];
}

/** Whom one may want to name anywhere else: by the beginning of the name, in its order. */
export async function listMentionableByName(
  db: Reader,
  { viewer, beginning }: { viewer: Viewer; beginning: string },
): Promise<MentionableMembers['items']> {
  const others = await listOthers(db, {
    name: foldSpaces(beginning),
    except: [viewer.id],
    limit: maxListed,
  });
  return others.map((row) => toItem(row, false));
}

const foldSpaces = (beginning: string) => beginning.trimStart().replace(/\s+/gu, ' ');

async function listOthers(
  db: Reader,
  { name, except, limit }: { name: string; except: number[]; limit: number },
): Promise<NamedMember[]> {
  return name === '' || limit === 0 ? [] : listMembersByName(db, { beginning: name, except, limit });
}

function toItem({ id, display_name: displayName }: NamedMember, inThread: boolean) {
  return { id, displayName, inThread };
}
