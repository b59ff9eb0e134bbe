import { createHash } from 'node:crypto';
import type { PostKind } from '#shared/core/fields.ts';
import { badgeClassNumbers } from './stack-exchange-badges.ts';
import { closedKind, closeReasonNumbers } from './stack-exchange-closings.ts';
import { bountyVotes } from './stack-exchange-site-history.ts';
import type { LineInput, LineKind } from './jsonl-format.ts';
import { type ExportedTag, tagRow, tagTextIds, tagTextRows } from './export-stack-exchange-tag-texts.ts';
import { type Cells, createLinkWriter, row, toHtml, toTime, writeTags } from './export-stack-exchange-xml.ts';

/** One file of an export. */
export type ArchiveWriter = {
  file: string;
  begin: string;
  /** `write` returns the text for a row, which is empty for a row that the format does not have. */
  parts: readonly { kind: LineKind; write: (line: string) => string }[];
  end: string;
};

/** A row of a kind as the export writes it, with the fields that are always there. */
type Written<Kind extends LineKind, Always extends keyof LineInput<Kind> = never> = LineInput<Kind> & {
  [Key in Always]-?: NonNullable<LineInput<Kind>[Key]>;
};
type OfPost = 'upvotes' | 'downvotes' | 'createdAt';
type Question = Written<'questions', OfPost | 'tags' | 'views'>;
type Answer = Written<'answers', OfPost>;
type Post = Question | Answer;

type Rows = {
  members: Written<'members', 'reputation' | 'createdAt'>;
  badges: Written<'badges', 'awards' | 'lastAt'>;
  tags: ExportedTag;
  questions: Question;
  answers: Answer;
  replies: Written<'replies', OfPost>;
  revisions: Written<'revisions'>;
  votes: Written<'votes', 'day'>;
  follows: Written<'follows', 'createdAt'>;
};

/** Questions and answers have their ids in one space there. */
const postIds = { question: (id: number) => 2 * id, answer: (id: number) => 2 * id + 1 };

const archivePostId = (kind: PostKind, id: number) =>
  kind === 'question' ? postIds.question(id) : postIds.answer(id);

/**
 * The files of an archive as Stack Exchange publishes them, which `parley import stackexchange` and tools of others read:
 * texts as HTML in Posts.xml, and as Markdown in PostHistory.xml. Replies to replies become comments of the answer.
 * @param settings.license of posts that were written here
 * @param settings.origin of the community, for links to its own pages
 */
export function createArchiveWriters(settings: {
  license: string | undefined;
  origin: string;
  withPrivateData: boolean;
}): ArchiveWriter[] {
  const nextId = new Map<string, number>();
  const numbered = (file: string) => {
    const id = (nextId.get(file) ?? 0) + 1;
    nextId.set(file, id);
    return id;
  };
  const licenseOf = ({ source }: Pick<Post, 'source'>) => source?.license ?? settings.license;
  const links = createLinkWriter(settings.origin);
  const voteRow = (
    postId: number,
    typeId: number,
    day: string,
    more: { UserId?: number; BountyAmount?: number } = {},
  ) =>
    row({
      Id: numbered('Votes'),
      PostId: postId,
      VoteTypeId: typeId,
      UserId: more.UserId,
      CreationDate: `${day.slice(0, 10)}T00:00:00.000`,
      BountyAmount: more.BountyAmount,
    });
  const writeVote = ({ post, postId, vote, day }: Rows['votes']) =>
    post === 'reply' ? '' : voteRow(archivePostId(post, postId), vote === 'up' ? 2 : 3, day);
  return [
    file('Users', [
      part('members', (member) =>
        row({
          Id: member.id,
          Reputation: member.reputation,
          CreationDate: toTime(member.createdAt),
          DisplayName: member.name ?? `user${member.id}`,
          WebsiteUrl: member.website,
          Location: member.location,
          AboutMe: member.bio === undefined ? undefined : links.inHtml(toHtml(member.bio)),
        }),
      ),
    ]),
    file('Badges', [part('badges', badgeRows)]),
    file('Tags', [part('tags', tagRow)]),
    file('Posts', [
      part('questions', (question) =>
        postRow(question, {
          id: postIds.question(question.id),
          more: {
            PostTypeId: 1,
            AcceptedAnswerId:
              question.acceptedAnswerId === undefined ? undefined : postIds.answer(question.acceptedAnswerId),
            ViewCount: question.views,
            ClosedDate: question.closedAt === undefined ? undefined : toTime(question.closedAt),
            Title: question.title,
            Tags: writeTags(question.tags),
          },
        }),
      ),
      part('answers', (answer) =>
        postRow(answer, {
          id: postIds.answer(answer.id),
          more: { PostTypeId: 2, ParentId: postIds.question(answer.questionId) },
        }),
      ),
      part('tags', (tag) => tagTextRows(tag, { links, license: settings.license })),
    ]),
    file('PostHistory', [
      part('revisions', (revision) =>
        revision.post === 'reply'
          ? ''
          : versionRows({
              ...revision,
              id: archivePostId(revision.post, revision.postId),
              isFirst: revision.number === 1,
            }),
      ),
      part('questions', (question) => currentVersionRows(question, postIds.question(question.id))),
      part('answers', (answer) => currentVersionRows(answer, postIds.answer(answer.id))),
      part('questions', closingRow),
      part('tags', ({ id, about, firstQuestionAt }) =>
        about === undefined || firstQuestionAt === undefined
          ? ''
          : versionRows({
              id: tagTextIds.wiki(id),
              isFirst: true,
              content: about,
              createdAt: firstQuestionAt,
            }),
      ),
    ]),
    file('Comments', [
      part('replies', (reply) =>
        reply.deleted === true
          ? ''
          : row({
              Id: reply.id,
              PostId:
                reply.answerId === undefined
                  ? postIds.question(reply.questionId)
                  : postIds.answer(reply.answerId),
              Score: reply.upvotes,
              Text: links.inMarkdown(reply.content ?? ''),
              CreationDate: toTime(reply.createdAt),
              UserId: reply.authorId,
              UserDisplayName: reply.authorId === undefined ? reply.authorName : undefined,
              ContentLicense: licenseOf(reply),
            }),
      ),
    ]),
    file('Votes', [
      part('votes', writeVote),
      part(
        'questions',
        (question) =>
          (question.acceptedAnswerId === undefined
            ? ''
            : voteRow(postIds.answer(question.acceptedAnswerId), 1, question.createdAt)) +
          importedVoteRows(question, postIds.question(question.id)) +
          bountyRows(question, postIds.question(question.id), bountyVotes.offered),
      ),
      part(
        'answers',
        (answer) =>
          importedVoteRows(answer, postIds.answer(answer.id)) +
          bountyRows(answer, postIds.answer(answer.id), bountyVotes.awarded),
      ),
      ...(settings.withPrivateData
        ? [
            part('follows', ({ memberId, questionId, createdAt }) =>
              questionId === undefined
                ? ''
                : voteRow(postIds.question(questionId), 5, createdAt, { UserId: memberId }),
            ),
          ]
        : []),
    ]),
    file('PostLinks', [
      part('questions', ({ id, duplicateOf, createdAt }) =>
        duplicateOf === undefined
          ? ''
          : row({
              Id: numbered('PostLinks'),
              CreationDate: toTime(createdAt),
              PostId: postIds.question(id),
              RelatedPostId: postIds.question(duplicateOf),
              LinkTypeId: 3,
            }),
      ),
    ]),
  ];

  /** A row for each award. Only the first and the last have their own time. */
  function badgeRows(badge: Rows['badges']): string {
    const write = (time: string) =>
      row({
        Id: numbered('Badges'),
        UserId: badge.memberId,
        Name: badge.name,
        Date: toTime(time),
        Class: badge.class === undefined ? undefined : badgeClassNumbers[badge.class],
        TagBased: badge.tagBased === true ? 'True' : 'False',
      });
    return Array.from({ length: badge.awards }, (_, at) =>
      write(at === 0 ? badge.firstAt : badge.lastAt),
    ).join('');
  }

  function postRow(post: Post, { id, more }: { id: number; more: Cells }): string {
    return row({
      Id: id,
      ...more,
      CreationDate: toTime(post.createdAt),
      Score: post.upvotes - post.downvotes,
      Body: links.inHtml(toHtml(post.content)),
      OwnerUserId: post.authorId,
      OwnerDisplayName: post.authorId === undefined ? post.authorName : undefined,
      CommunityOwnedDate: post.communityWikiAt === undefined ? undefined : toTime(post.communityWikiAt),
      LastEditDate: post.editedAt === undefined ? undefined : toTime(post.editedAt),
      ContentLicense: licenseOf(post),
    });
  }

  function closingRow({ id, closedReason, closedAt }: Question): string {
    if (closedReason === undefined || closedAt === undefined) return '';
    return row({
      Id: numbered('PostHistory'),
      PostHistoryTypeId: closedKind,
      PostId: postIds.question(id),
      CreationDate: toTime(closedAt),
      Comment: closeReasonNumbers[closedReason],
    });
  }

  /** The rows of one version: title, text and tags. Of the versions of an edited post, later ones have later ids. */
  function versionRows(version: {
    id: number;
    isFirst: boolean;
    title?: string | undefined;
    content: string;
    tags?: string[] | undefined;
    createdAt: string;
    authorId?: number | undefined;
    authorName?: string | undefined;
  }): string {
    const { id, isFirst, title, content, tags, createdAt, authorId, authorName } = version;
    const [titleKind, textKind, tagsKind] = isFirst ? [1, 2, 3] : [4, 5, 6];
    const hash = createHash('sha256').update(`${id} ${createdAt} ${isFirst}`).digest('hex');
    const guid = hash.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/u, '$1-$2-$3-$4-$5');
    const write = (kind: number | undefined, text: string | undefined) =>
      text === undefined
        ? ''
        : row({
            Id: numbered('PostHistory'),
            PostHistoryTypeId: kind,
            PostId: id,
            RevisionGUID: guid,
            CreationDate: toTime(createdAt),
            UserId: authorId,
            UserDisplayName: authorId === undefined ? authorName : undefined,
            Text: text,
          });
    return (
      write(textKind, links.inMarkdown(content)) +
      write(titleKind, title) +
      write(tagsKind, tags === undefined ? undefined : writeTags(tags))
    );
  }

  function currentVersionRows(post: Post, id: number): string {
    return versionRows({
      ...post,
      id,
      isFirst: post.editedAt === undefined,
      createdAt: post.editedAt ?? post.createdAt,
    });
  }

  function bountyRows({ bounties = [] }: Post, id: number, typeId: number): string {
    return bounties.map(({ amount, day }) => voteRow(id, typeId, day, { BountyAmount: amount })).join('');
  }

  /** Votes that were imported as a number are rows again, without their times. */
  function importedVoteRows(post: Post, id: number): string {
    const { importedUpvotes: up = 0, importedDownvotes: down = 0, createdAt } = post;
    const rows = (number: number, typeId: number) =>
      Array.from({ length: number }, () => voteRow(id, typeId, createdAt)).join('');
    return rows(up, 2) + rows(down, 3);
  }
}

function file(name: string, parts: ArchiveWriter['parts']): ArchiveWriter {
  const root = name.toLowerCase();
  return {
    file: `${name}.xml`,
    begin: `<?xml version="1.0" encoding="utf-8"?>\n<${root}>\n`,
    parts,
    end: `</${root}>\n`,
  };
}

/** Writes each row of a kind. */
const part = <Kind extends keyof Rows>(kind: Kind, write: (row: Rows[Kind]) => string) => ({
  kind,
  write: (line: string) => write(JSON.parse(line) as Rows[Kind]),
});
