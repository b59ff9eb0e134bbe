/** The formats of feeds, by the ending of their addresses. */
export const feedFormats = ['atom', 'rss'] as const;
export type FeedFormat = (typeof feedFormats)[number];

/** What a feed lists: the address of a page below /feeds, without its ending. */
export type FeedSubject =
  | { kind: 'recent' }
  | { kind: 'unanswered' }
  | { kind: 'tag'; tag: string }
  | { kind: 'question'; id: number }
  | { kind: 'member'; id: number };

const endings: Readonly<Record<FeedSubject['kind'], (subject: never) => string>> = {
  recent: () => 'recent',
  unanswered: () => 'unanswered',
  tag: ({ tag }: { tag: string }) => `topics/${encodeURIComponent(tag)}`,
  question: ({ id }: { id: number }) => `question/${id}`,
  member: ({ id }: { id: number }) => `profile/${id}`,
};

/** The path of a feed: '/feeds/topics/rust.atom'. It stays the same when a title or a name changes. */
export function feedPath(subject: FeedSubject, format: FeedFormat): string {
  return `/feeds/${endings[subject.kind](subject as never)}.${format}`;
}
