import type { Reader } from '#server/platform/database.ts';
import type { Viewer } from '#server/platform/http.ts';
import { requireQuestion } from '#server/questions/questions.ts';
import type { Mentionable } from '#shared/mentions.ts';
import { type NamedMember, othersNamed, threadMembers } from './queries.ts';

/** Members a list shows at most. */
const listed = 8;

/**
 * Whom one may want to name at a question: those who wrote there, the latest first, then others whose name begins so. A
 * blank beginning asks for the former alone. Members without a name are left out, for they would show their address.
 * @throws ProblemError 'not-found'
 */
export async function membersForThread(
  db: Reader,
  { questionId, viewer, beginning }: { questionId: number; viewer: Viewer; beginning: string },
): Promise<Mentionable['items']> {
  await requireQuestion(db, questionId);
  const name = folded(beginning);
  const there = await threadMembers(db, { questionId, viewerId: viewer.id, beginning: name, limit: listed });
  const except = [viewer.id, ...there.map(({ id }) => id)];
  const others = await othersBeginning(db, { name, except, limit: listed - there.length });
  return [...there.map((row) => toItem(row, true)), ...others.map((row) => toItem(row, false))];
}

/** Whom one may want to name anywhere else: by the beginning of the name, in its order. */
export async function membersByName(
  db: Reader,
  { viewer, beginning }: { viewer: Viewer; beginning: string },
): Promise<Mentionable['items']> {
  const others = await othersBeginning(db, {
    name: folded(beginning),
    except: [viewer.id],
    limit: listed,
  });
  return others.map((row) => toItem(row, false));
}

const folded = (beginning: string) => beginning.trimStart().replace(/\s+/gu, ' ');

async function othersBeginning(
  db: Reader,
  { name, except, limit }: { name: string; except: number[]; limit: number },
): Promise<NamedMember[]> {
  return name === '' || limit === 0 ? [] : othersNamed(db, { beginning: name, except, limit });
}

function toItem({ id, display_name: displayName }: NamedMember, inThread: boolean) {
  return { id, displayName, inThread };
}
