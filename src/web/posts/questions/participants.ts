import type { QuestionPageData } from '#shared/posts/questions.ts';
import type { MentionableMember } from '#web/editor/index.ts';
import { listVisiblePosts } from './question-page-data.ts';

// Not in question-page-data.ts, which a question page loads before it handles input.

export type Participant = MentionableMember & {
  /** The profile on the site that the member's posts were imported from; null if there is none. */
  profile: { site: string; url: string } | null;
};

/**
 * The authors of a thread with an account, each once: the question's author, then the authors of answers and replies.
 */
export function listParticipants(page: QuestionPageData): Participant[] {
  const participants = new Map<number, Participant>();
  for (const { authorId: id, authorName: name, authorAvatar: avatar, source } of listVisiblePosts(page)) {
    if (id === null) continue;
    const profile = source?.authorUrl == null ? null : { site: source.site, url: source.authorUrl };
    const known = participants.get(id);
    participants.set(id, known ?? { id, name, avatar, profile });
    if (known?.profile === null) known.profile = profile;
  }
  return [...participants.values()];
}

/** The participants of a thread without the viewer. */
export function listMentionableMembers(
  page: QuestionPageData | undefined,
  viewerId: number,
): MentionableMember[] {
  if (page === undefined) return [];
  return listParticipants(page)
    .filter(({ id }) => id !== viewerId)
    .map(({ id, name, avatar }) => ({ id, name, avatar }));
}
