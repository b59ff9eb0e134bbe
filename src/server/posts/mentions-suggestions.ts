import type { Reader } from '#server/core/database.ts';
import type { Viewer } from '#server/core/http.ts';
import { requireQuestion } from './questions.ts';
import type { MentionableMembers } from '#shared/posts/mentions.ts';
import { type NamedMember, listMembersByName, listThreadMembers } from './mentions-queries.ts';

/** The maximum number of listed members. */
const maxListed = 8;

/**
 * Suggests members to mention in a thread: those who wrote there, latest first, then others whose name starts with the
 * text. A blank text lists only the former. Members without a name are omitted, because their email address would be
 * shown.
 * @throws ProblemError 'not-found'
 */
export async function listMentionableInThread(
  db: Reader,
  { questionId, viewer, beginning }: { questionId: number; viewer: Viewer; beginning: string },
): Promise<MentionableMembers['items']> {
  await requireQuestion(db, questionId);
  const name = foldSpaces(beginning);
  const inThread = await listThreadMembers(db, {
    questionId,
    viewerId: viewer.id,
    beginning: name,
    limit: maxListed,
  });
  const except = [viewer.id, ...inThread.map(({ id }) => id)];
  const others = await listOthers(db, { name, except, limit: maxListed - inThread.length });
  return [...inThread.map((row) => toItem(row, true)), ...others.map((row) => toItem(row, false))];
}

/** Suggests members to mention elsewhere: by the beginning of the name, sorted by name. */
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
